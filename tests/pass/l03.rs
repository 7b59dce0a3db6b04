//! L03: `x = layer(x)` and shadowing.

use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Reduction, nn, nn::Module};

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    for (x, y) in data() {
        let mut h = x;
        for l in [&net.l1, &net.l2, &net.l1] {
            h = l.forward(&h).tanh();
        }
        opt.backward_step(&h.mse_loss(&y, Reduction::Mean));
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
