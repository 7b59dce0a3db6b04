//! L36: a key-value cache of one generation.

use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Tensor, nn, no_grad_guard};

struct LayerState {
    prev_key: Tensor,
}

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    for (x, _) in data() {
        let _g = no_grad_guard();
        let mut cache: Vec<Option<LayerState>> = vec![None];
        for _ in 0..3 {
            let k = net.features(&x);
            cache[0] = Some(LayerState {
                prev_key: match cache[0].take() {
                    Some(c) => Tensor::cat(&[c.prev_key, k], 0),
                    None => k,
                },
            });
        }
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
