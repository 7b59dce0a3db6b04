// RUN06: an epoch folded into its total loss.
use guard_core::no_retain;
use guard_tests::harness::{Net, data, zero};
use tch::nn;

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let total = data().fold(zero(), |acc, (x, y)| {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        acc + loss
    });
}

fn main() {}
