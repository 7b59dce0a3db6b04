//! L25: a decoder fed with its own outputs within one sequence.

use guard_core::no_retain;
use guard_tests::harness::{Net, data, zero};
use tch::{Reduction, nn};

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    for (x, y) in data() {
        let (mut prev, mut loss) = (x, zero());
        for _ in 0..4 {
            let out = net.forward(&prev);
            loss = loss + out.mse_loss(&y, Reduction::Mean);
            prev = out.detach();
        }
        opt.backward_step(&loss);
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
