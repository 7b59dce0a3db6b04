// A training loop inside of `thread::scope`.
use guard_core::no_retain;
use guard_tests::harness::*;
use std::{sync::mpsc, thread};
use tch::nn;

#[no_retain]
fn sent(net: &Net, opt: &mut nn::Optimizer) {
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        scope.spawn(move || receiver.iter().for_each(|loss| println!("{}", f(&loss))));
        for (x, y) in data() {
            let loss = net.loss(&x, &y);
            opt.backward_step(&loss);
            sender.send(loss).expect("the logger runs");
        }
    });
}

#[no_retain]
fn taken_along(net: &Net) {
    thread::scope(|scope| {
        for (x, y) in data() {
            let loss = net.loss(&x, &y);
            scope.spawn(move || println!("{}", f(&loss)));
        }
    });
}

fn main() {}
