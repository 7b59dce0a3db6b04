//! A cycle of `Rc`s made inside one step: nothing of it is captured, nothing of it is dropped.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use guard_core::{Watched, graph_nodes, no_retain};
use guard_tests::{
    flat::alone,
    harness::{Net, data, net},
    notice::noticed,
};
use tch::Tensor;

struct Node {
    loss: Tensor,
    own: RefCell<Option<Rc<Node>>>,
}

#[no_retain(vouch(seen, reason = "weak handles, to show that the nodes are still there"))]
fn cycles(net: &Net, seen: &mut Vec<Weak<Node>>) {
    for (x, y) in data() {
        let node = Rc::new(Node { loss: net.loss(&x, &y), own: RefCell::new(None) });
        *node.own.borrow_mut() = Some(Rc::clone(&node));
        seen.push(Rc::downgrade(&node));
    }
}

#[test]
fn a_cycle_keeps_its_graph() {
    let _alone = alone();
    let (net, mut seen) = (net(), Vec::new());
    let suspects = noticed(|_| cycles(&net, &mut seen));
    assert!(seen.iter().all(|node| node.upgrade().is_some_and(|node| graph_nodes(&node.loss) > 1)));
    assert!(suspects.contains(&Watched::TensorBytes));
}
