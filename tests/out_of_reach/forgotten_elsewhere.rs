//! `mem::forget` in code without the attribute.

use std::rc::{Rc, Weak};

use guard_core::{graph_nodes, no_retain};
use guard_tests::foreign;
use guard_tests::harness::{Net, data, net};
use tch::Tensor;

#[no_retain(vouch(seen, reason = "weak handles, to show that the losses are still there"))]
fn forget_every_loss(net: &Net, seen: &mut Vec<Weak<Tensor>>) {
    for (x, y) in data() {
        let loss = Rc::new(net.loss(&x, &y));
        seen.push(Rc::downgrade(&loss));
        foreign::forget(loss);
    }
}

#[test]
fn a_forgotten_tensor_stays() {
    let mut seen = Vec::new();
    forget_every_loss(&net(), &mut seen);
    assert!(seen.iter().all(|loss| loss.upgrade().is_some_and(|loss| graph_nodes(&loss) > 1)));
}
