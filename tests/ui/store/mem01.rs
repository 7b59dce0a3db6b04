// MEM01: `mem::replace` of the output before.
use guard_core::no_retain;
use guard_tests::harness::{Net, data, f, h0};
use tch::nn;

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut prev = h0();
    for (x, _) in data() {
        let old = std::mem::replace(&mut prev, net.forward(&x));
        let drift = f(&(&prev - old).norm());
    }
}

fn main() {}
