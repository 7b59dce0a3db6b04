//! L26: several backward passes to one optimizer step.

use guard_core::no_retain;
use guard_tests::harness::{Net, data, f};
use tch::nn;

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut logged = 0.0;
    for (i, (x, y)) in data().enumerate() {
        let loss = net.loss(&x, &y) / 4.0;
        loss.backward();
        logged += f(&loss);
        if i % 4 == 3 {
            opt.step();
            opt.zero_grad();
        }
    }
    assert!(logged.is_finite());
}

#[test]
fn runs_flat() {
    guard_tests::flat::run_in_steps_of(4, run);
}
