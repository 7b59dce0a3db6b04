// ACC01: a loss summed over small batches and reset on one branch only.
use guard_core::no_retain;
use guard_tests::harness::{Net, data, f, zero};
use tch::nn;

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut acc = zero();
    for (i, (x, y)) in data().enumerate() {
        acc = acc + net.loss(&x, &y);
        if i % 4 == 3 && f(&acc) < -1.0 {
            opt.backward_step(&acc);
            acc = zero();
        }
    }
}

fn main() {}
