// EVL04: a validation loss summed with grad on.
use guard_core::no_retain;
use guard_tests::harness::{Net, data, zero};
use tch::nn;

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut val = zero();
    for (x, y) in data() {
        val += net.loss(&x, &y);
    }
}

fn main() {}
