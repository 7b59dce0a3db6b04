//! L57: a batch computed in chunks.

use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Reduction, Tensor, nn};

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    for (x, y) in data() {
        let outs: Vec<Tensor> = x.chunk(4, 0).iter().map(|c| net.forward(c)).collect();
        opt.backward_step(&Tensor::cat(&outs, 0).mse_loss(&y, Reduction::Mean));
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
