//! L22: a closure that computes the loss of one step.

use guard_core::no_retain;
use guard_tests::harness::{Net, data, f};
use tch::{Tensor, nn};

fn step_with(opt: &mut nn::Optimizer, loss_fn: &mut dyn FnMut() -> Tensor) -> f64 {
    let l = loss_fn();
    opt.backward_step(&l);
    f(&l)
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    for (x, y) in data() {
        step_with(opt, &mut || net.loss(&x, &y));
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
