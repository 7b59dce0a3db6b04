// STA03: a lazily made static registry of metrics.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use std::{collections::HashMap, sync::LazyLock, sync::Mutex};
use tch::{Tensor, nn};

static REG: LazyLock<Mutex<HashMap<String, Tensor>>> = LazyLock::new(Default::default);

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    for (i, (x, y)) in data().enumerate() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        REG.lock().unwrap().insert(format!("loss/{i}"), loss);
    }
}

fn main() {}
