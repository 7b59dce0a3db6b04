//! `Tensor::stack` of per-time-step outputs of a local loop.

use guard_core::no_retain;
use guard_tests::harness::{Net, data, h0};
use tch::{Kind, Tensor, nn};

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    for (x, _) in data() {
        let mut h = h0();
        let outs: Vec<Tensor> = (0..4)
            .map(|_| {
                h = net.cell(&x, &h);
                h.shallow_clone()
            })
            .collect();
        opt.backward_step(&Tensor::stack(&outs, 0).mean(Kind::Float));
    }
}

#[test]
fn runs() {
    let net = guard_tests::harness::net();
    run(&net, &mut guard_tests::harness::adam(&net));
}
