//! L37: a sampling loop that replaces its latents.

use guard_core::no_retain;
use guard_tests::harness::{Net, batch, data};
use tch::{nn, no_grad_guard};

#[no_retain(step)]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let _g = no_grad_guard();
    let mut latents = batch();
    for _ in data() {
        let eps = net.forward(&latents);
        latents = &latents - eps * 0.01;
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
