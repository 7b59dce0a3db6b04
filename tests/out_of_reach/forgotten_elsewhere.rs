//! `mem::forget` in code without the attribute.

use std::rc::{Rc, Weak};

use guard_core::{Watched, graph_nodes, no_retain};
use guard_tests::{
    flat::alone,
    foreign,
    harness::{Net, data, net},
    notice::noticed,
};
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
    let _alone = alone();
    let (net, mut seen) = (net(), Vec::new());
    let suspects = noticed(|_| forget_every_loss(&net, &mut seen));
    assert!(seen.iter().all(|loss| loss.upgrade().is_some_and(|loss| graph_nodes(&loss) > 1)));
    assert!(suspects.contains(&Watched::TensorBytes));
}
