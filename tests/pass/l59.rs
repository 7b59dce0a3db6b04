//! L59: targets computed once, before the loop.

use guard_core::no_retain;
use guard_tests::harness::{Net, batch, data};
use tch::{Kind, Tensor, nn, no_grad};

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let style: Vec<Tensor> = no_grad(|| (0..3).map(|_| net.features(&batch())).collect());
    for (x, _) in data() {
        opt.backward_step(&(net.features(&x) - &style[0]).square().mean(Kind::Float));
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
