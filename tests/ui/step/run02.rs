// RUN02: `total += &loss`, which only borrows the total.
use guard_core::no_retain;
use guard_tests::harness::{Net, data, zero};
use tch::nn;

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut total = zero();
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        total += &loss;
    }
}

fn main() {}
