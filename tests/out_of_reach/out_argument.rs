//! Functions of tch that write into an argument (`Tensor::stack_out(&out, …)`): the argument is only borrowed.

use guard_core::{Watched, graph_nodes, no_retain};
use guard_tests::{
    flat::alone,
    harness::{net, zero},
    notice::noticed,
};
use tch::Tensor;

#[no_retain]
fn total(tensors: &[Tensor], out: &Tensor) {
    for tensor in tensors {
        let mut view = out.shallow_clone();
        add_into(&mut view, tensor);
    }
}

fn add_into(out: &mut Tensor, tensor: &Tensor) {
    *out += tensor;
}

#[test]
fn a_borrowed_handle_takes_a_graph_on() {
    let _alone = alone();
    let (net, out) = (net(), zero());
    let suspects = noticed(|guard| {
        total(&[net.w().sum(tch::Kind::Float)], &out);
        guard.record_loss(&out).expect("the total is a scalar");
    });
    assert!(graph_nodes(&out) > 1);
    assert!(suspects.contains(&Watched::LossNodes));
}
