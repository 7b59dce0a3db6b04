//! Diffusion sampling loop with latents rebinding.

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
fn runs() {
    let net = guard_tests::harness::net();
    run(&net, &mut guard_tests::harness::adam(&net));
}
