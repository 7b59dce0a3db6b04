//! `Param`: a leaf stays a leaf.

use guard_core::{Param, graph_nodes};
use tch::{Device, Kind, Tensor, nn};

fn grown() -> Tensor {
    Tensor::ones([2], (Kind::Float, Device::Cpu)).set_requires_grad(true).exp()
}

#[test]
fn a_parameter_is_the_stores_own_leaf() {
    let vs = nn::VarStore::new(Device::Cpu);
    let param = Param::new(&(vs.root() / "layer"), "weight", &[2], nn::Init::Const(1.0));
    (param.tensor() * 3.0).sum(Kind::Float).backward();
    assert_eq!(vs.variables()["layer.weight"].grad().double_value(&[0]), 3.0);
    param.set(&Tensor::from_slice(&[5.0f32, 6.0]));
    assert_eq!(vs.variables()["layer.weight"].double_value(&[1]), 6.0);
    assert!(param.tensor().requires_grad());
}

#[test]
fn autograd_refuses_to_give_a_trained_leaf_a_history() {
    let vs = nn::VarStore::new(Device::Cpu);
    let param = Param::new(&vs.root(), "weight", &[2], nn::Init::Const(1.0));
    let mut handle = param.tensor();
    assert!(handle.f_add_(&grown()).is_err());
    assert_eq!(graph_nodes(&param.tensor()), 0);
}

#[test]
fn a_buffer_is_saved_and_never_trained() {
    let vs = nn::VarStore::new(Device::Cpu);
    let buffer = Param::buffer(&vs.root(), "running_mean", &[2], nn::Init::Const(0.5));
    assert!(vs.variables().contains_key("running_mean"));
    assert!(vs.trainable_variables().is_empty());
    assert_eq!(buffer.tensor().double_value(&[1]), 0.5);
}

#[test]
fn in_place_operations_change_a_buffer_and_attach_nothing() {
    let vs = nn::VarStore::new(Device::Cpu);
    let buffer = Param::buffer(&vs.root(), "running_mean", &[2], nn::Init::Const(0.0));
    let _ = buffer.tensor().lerp_(&grown(), 0.5);
    buffer.set(&(buffer.tensor() + grown()));
    let _ = buffer.tensor().set_requires_grad(true);
    assert!(!buffer.tensor().requires_grad());
    assert_eq!(graph_nodes(&vs.variables()["running_mean"]), 0);
    assert!((buffer.tensor().double_value(&[0]) - 1.5 * 1f64.exp()).abs() < 1e-5);
}

#[test]
fn a_frozen_parameter_is_protected_like_a_buffer() {
    let mut vs = nn::VarStore::new(Device::Cpu);
    let param = Param::new(&vs.root(), "weight", &[2], nn::Init::Const(1.0));
    vs.freeze();
    let _ = param.tensor().g_add_(&grown());
    assert_eq!(graph_nodes(&vs.variables()["weight"]), 0);
    vs.unfreeze();
    assert!(param.tensor().requires_grad());
}

#[test]
fn debug_shows_the_shape() {
    let vs = nn::VarStore::new(Device::Cpu);
    let param = Param::new(&vs.root(), "weight", &[2, 3], nn::Init::Const(1.0));
    assert_eq!(format!("{param:?}"), "Param([2, 3] Float Cpu)");
}

/// Documented as out of reach: whoever switches a leaf's grad off by hand takes its protection away.
#[test]
fn a_leaf_stripped_of_its_grad_by_hand_can_be_given_a_history() {
    let vs = nn::VarStore::new(Device::Cpu);
    let param = Param::new(&vs.root(), "weight", &[2], nn::Init::Const(1.0));
    let _ = param.tensor().set_requires_grad(false).g_add_(&grown());
    assert!(graph_nodes(&vs.variables()["weight"]) > 0);
}
