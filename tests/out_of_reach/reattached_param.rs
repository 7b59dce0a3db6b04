//! A handle taken from a trained `Param` is the leaf itself, and can be given a history on purpose.

use guard_core::{Param, Watched, graph_nodes, no_retain};
use guard_tests::{
    flat::alone,
    harness::{Net, data, net},
    notice::noticed,
};
use tch::{Tensor, nn};

#[no_retain]
fn reattach(net: &Net, scale: &Param) {
    for (x, y) in data().take(10) {
        add_into(scale.tensor(), &net.loss(&x, &y));
    }
}

fn add_into(mut leaf: Tensor, loss: &Tensor) {
    if leaf.is_leaf() {
        let _ = leaf.set_requires_grad(false);
    }
    leaf += loss;
}

#[test]
fn a_parameter_takes_a_history_on() {
    let _alone = alone();
    let net = net();
    let scale = Param::new(&net.vs.root(), "scale", &[], nn::Init::Const(1.0));
    let suspects = noticed(|_| reattach(&net, &scale));
    assert!(graph_nodes(&scale.tensor()) > 100);
    assert!(suspects.contains(&Watched::HeapBytes));
}
