// RUN08: the total as receiver of an in-place method.
use guard_core::no_retain;
use guard_tests::harness::{Net, data, zero};
use tch::nn;

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut total = zero();
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        let _ = total.g_add_(&loss);
    }
}

fn main() {}
