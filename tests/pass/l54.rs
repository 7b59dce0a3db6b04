//! L54: weights sent to another thread.

use guard_core::{Detached, no_retain};
use guard_tests::harness::{Net, data};
use std::sync::mpsc;
use tch::{Tensor, nn};

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let (tx, rx) = mpsc::channel::<Vec<Detached<Tensor>>>();
    for (x, y) in data() {
        opt.backward_step(&net.loss(&x, &y));
        tx.send(net.vs.trainable_variables().iter().map(Detached::new).collect()).unwrap();
        let weights = rx.recv().unwrap();
        assert_eq!(weights.len(), 4);
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
