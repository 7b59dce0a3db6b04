// CLO01: a closure that pushes into a list it captured.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Tensor, nn};

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut hist = vec![];
    let mut log = |l: Tensor| hist.push(l);
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        log(loss);
    }
}

fn main() {}
