//! L19: the parts of a loss added up inside the step.

use guard_core::no_retain;
use guard_tests::harness::{Net, data, zero};
use tch::nn;

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    for (x, y) in data() {
        let mut total = zero();
        for k in 1..4 {
            total += net.loss(&x, &y) * (1.0 / k as f64);
        }
        opt.backward_step(&total);
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
