// RUN04: an exponential average of the loss.
use guard_core::no_retain;
use guard_tests::harness::{Net, data, zero};
use tch::nn;

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut ema = zero();
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        ema = ema * 0.98 + &loss * 0.02;
    }
}

fn main() {}
