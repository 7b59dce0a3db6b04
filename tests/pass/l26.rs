//! Micro-batches: backward each, step every K.

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
fn runs() {
    let net = guard_tests::harness::net();
    run(&net, &mut guard_tests::harness::adam(&net));
}
