// MEM06: two values rotated by destructuring.
use guard_core::no_retain;
use guard_tests::harness::{Net, data, zero};
use tch::nn;

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let (mut a, mut b) = (zero(), zero());
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        (a, b) = (b, a + loss);
    }
}

fn main() {}
