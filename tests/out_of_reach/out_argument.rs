//! Functions of tch that write into an argument (`Tensor::stack_out(&out, …)`): the argument is only borrowed.

use guard_core::{graph_nodes, no_retain};
use guard_tests::harness::{net, zero};
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
    let (net, out) = (net(), zero());
    total(&[net.w().sum(tch::Kind::Float)], &out);
    assert!(graph_nodes(&out) > 1);
}
