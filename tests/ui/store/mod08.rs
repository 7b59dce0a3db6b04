// MOD08: a list shared with workers through `Arc<Mutex<_>>`.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use std::{sync::Arc, sync::Mutex};
use tch::{Tensor, nn};

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let sink: Arc<Mutex<Vec<Tensor>>> = Arc::default();
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        sink.lock().unwrap().push(loss);
    }
}

fn main() {}
