//! A raw pointer, or its address as a number, is `Copy` and says nothing about what it points to.

use guard_core::{Watched, graph_nodes, no_retain};
use guard_tests::{
    flat::alone,
    harness::{Net, data, net},
    notice::noticed,
};
use tch::Tensor;

#[no_retain]
fn addresses(net: &Net) -> Vec<usize> {
    let mut kept = Vec::new();
    for (x, y) in data() {
        kept.push(address_of(net.loss(&x, &y)));
    }
    kept
}

fn address_of(tensor: Tensor) -> usize {
    Box::into_raw(Box::new(tensor)) as usize
}

#[test]
fn an_address_keeps_a_graph() {
    let _alone = alone();
    let (net, mut kept) = (net(), Vec::new());
    assert!(noticed(|_| kept.extend(addresses(&net))).contains(&Watched::TensorBytes));
    for address in kept {
        // SAFETY: the address comes from `address_of` and is used once.
        let tensor = unsafe { Box::from_raw(address as *mut Tensor) };
        assert!(graph_nodes(&tensor) > 1);
    }
}
