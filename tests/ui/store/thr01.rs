// THR01: losses sent to a logger that reads them later.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use std::sync::mpsc;
use tch::nn;

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let (tx, rx) = mpsc::channel();
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        tx.send(loss).unwrap();
    }
    let n = rx.try_iter().count();
}

fn main() {}
