// STA01: a static list behind a `Mutex`.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use std::sync::Mutex;
use tch::{Tensor, nn};

static LOG: Mutex<Vec<Tensor>> = Mutex::new(Vec::new());

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        LOG.lock().unwrap().push(loss);
    }
}

fn main() {}
