//! Counting autograd nodes.

mod alone;

use alone::alone;
use guard_core::graph_nodes;
use tch::{Device, Kind, Tensor};

fn weight() -> Tensor {
    Tensor::ones([4], (Kind::Float, Device::Cpu)).set_requires_grad(true)
}

#[test]
fn leaves_and_detached_tensors_have_no_graph() {
    let _alone = alone();
    let w = weight();
    assert_eq!(graph_nodes(&w), 0);
    assert_eq!(graph_nodes(&(&w * 2.0).detach()), 0);
    assert_eq!(graph_nodes(&Tensor::new()), 0);
    assert_eq!(graph_nodes(&tch::no_grad(|| &w * 2.0)), 0);
}

#[test]
fn each_operation_is_a_node_and_each_leaf_another() {
    let _alone = alone();
    let (w, v) = (weight(), weight());
    assert_eq!(graph_nodes(&w.exp()), 2);
    assert_eq!(graph_nodes(&(&w * &v)), 3);
    // mul, add, two accumulators: a shared node counts once.
    let shared = &w * &v;
    assert_eq!(graph_nodes(&(&shared + &shared)), 4);
}

#[test]
fn backward_frees_the_bytes_and_not_the_nodes() {
    let _alone = alone();
    let loss = weight().exp().sum(Kind::Float);
    let before = graph_nodes(&loss);
    loss.backward();
    assert_eq!(graph_nodes(&loss), before);
    assert_eq!(before, 3);
}

#[test]
fn a_view_under_no_grad_still_has_the_graph() {
    let _alone = alone();
    let features = weight().exp();
    assert!(graph_nodes(&tch::no_grad(|| features.get(0))) > 0);
}

#[test]
fn a_total_over_many_steps_is_counted_without_recursion() {
    let _alone = alone();
    let w = weight();
    let total = (0..20_000).fold(Tensor::from(0.0f32), |total, _| total + w.sum(Kind::Float));
    // Per step one add and one sum, and one accumulator for all.
    assert_eq!(graph_nodes(&total), 2 * 20_000 + 1);
}
