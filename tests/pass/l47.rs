//! L47: a gradient penalty within one step.

use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Kind, Tensor, nn};

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    for (x, _) in data() {
        let x = x.set_requires_grad(true);
        let d = net.forward(&x).mean(Kind::Float);
        let g = Tensor::run_backward(&[&d], &[&x], true, true).swap_remove(0);
        opt.backward_step(&(d + (g.norm() - 1.0).square()));
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
