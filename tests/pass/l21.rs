//! L21: an optional part of the loss, decided inside the step.

use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Kind, nn};

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    for (i, (x, y)) in data().enumerate() {
        let mut extra = None;
        if i % 2 == 0 {
            extra = Some(net.features(&x).mean(Kind::Float));
        }
        let loss = net.loss(&x, &y);
        opt.backward_step(&match extra {
            Some(e) => loss + e,
            None => loss,
        });
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
