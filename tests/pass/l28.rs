//! L28: norms of gradients as numbers.

use guard_core::no_retain;
use guard_tests::harness::{Net, data, f};
use tch::nn;

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut norms: Vec<f64> = vec![];
    for (x, y) in data() {
        opt.zero_grad();
        net.loss(&x, &y).backward();
        norms.push(net.vs.trainable_variables().iter().map(|v| f(&v.grad().norm())).sum());
        opt.step();
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
