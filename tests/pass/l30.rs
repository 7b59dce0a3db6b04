//! L30: metrics as numbers.

use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::nn;

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let (mut total, mut hist) = (0f64, Vec::new());
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        total += f64::try_from(&loss).unwrap();
        hist.push(total);
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
