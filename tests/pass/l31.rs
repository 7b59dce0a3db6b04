//! L31: losses added up on the device, read once an epoch.

use guard_core::{Detached, no_retain};
use guard_tests::harness::{N, Net, data, zero};
use tch::nn;

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut sum = Detached::from(zero());
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        sum += loss.detach();
    }
    let mean = sum.double_value(&[]) / N as f64;
    assert!(mean.is_finite());
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
