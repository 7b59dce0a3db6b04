// STO01: one row of a detached batch, which keeps the batch.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::nn;

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut keep = vec![];
    for (x, _) in data() {
        keep.push(net.features(&x).detach().get(0));
    }
}

fn main() {}
