//! A static inside a crate without the policy, reached through a function that takes a tensor by value.

use guard_core::{Watched, no_retain};
use guard_tests::{
    flat::alone,
    foreign,
    harness::{Net, data, net},
    notice::noticed,
};

#[no_retain]
fn nodes_kept_elsewhere(net: &Net) -> usize {
    let mut nodes = 0;
    for (x, y) in data() {
        nodes += foreign::remember(net.loss(&x, &y));
    }
    nodes
}

#[test]
fn a_foreign_static_keeps_graphs() {
    let _alone = alone();
    let net = net();
    assert!(noticed(|_| assert!(nodes_kept_elsewhere(&net) > 60)).contains(&Watched::TensorBytes));
}
