//! L02: outputs of the time steps of one sequence, stacked.

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
fn runs_flat() {
    guard_tests::flat::run(run);
}
