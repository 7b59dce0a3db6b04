// history of `mse_loss(..).detach()`: each 0-d scalar owns the full element-wise buffer
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::nn;

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut hist = vec![];
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        hist.push(loss.detach());
    }
}

fn main() {}
