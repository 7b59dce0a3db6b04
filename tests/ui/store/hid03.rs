// HID03: an event log of `Box<dyn Any>`.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use std::any::Any;
use tch::nn;

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut events: Vec<Box<dyn Any>> = vec![];
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        events.push(Box::new(loss));
    }
}

fn main() {}
