//! L33: the best prediction, for a figure.

use guard_core::{Detached, no_retain};
use guard_tests::harness::{Net, data, f};
use tch::{Reduction, Tensor, nn};

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut best: Option<(f64, Detached<Tensor>)> = None;
    for (x, y) in data() {
        let out = net.forward(&x);
        let v = f(&out.mse_loss(&y, Reduction::Mean));
        if best.as_ref().is_none_or(|b| v < b.0) {
            best = Some((v, Detached::new(&out.get(0))));
        }
    }
    assert!(best.is_some());
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
