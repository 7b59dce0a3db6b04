// COL06: a loss per step in a `BTreeMap`.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use std::collections::BTreeMap;
use tch::nn;

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut by_step = BTreeMap::new();
    for (i, (x, y)) in data().enumerate() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        by_step.insert(i, loss);
    }
}

fn main() {}
