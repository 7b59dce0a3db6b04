//! L01: features of several scales, in a local list.

use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Kind, Tensor, nn};

fn pyramid(net: &Net, x: &Tensor) -> Tensor {
    let mut feats = vec![x.shallow_clone()];
    for _ in 0..3 {
        let f = net.features(feats.last().unwrap());
        feats.push(f);
    }
    Tensor::cat(&feats, 0)
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    for (x, _) in data() {
        opt.backward_step(&pyramid(net, &x).mean(Kind::Float));
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
