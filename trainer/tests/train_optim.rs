//! Which parameters AdamW decays, and how fast each group learns.

use tch::nn::{self, Init};
use tch::{Device, Kind, Tensor};
use trainer::train::{AdamW, AdamWConfig, ParamGroup, ParamGroupError};

const LR: f64 = 0.5;
const DECAY: f64 = 0.1;

/// A store of ones with the official kinds of names; every gradient is `gradient`.
fn store(gradient: f64) -> nn::VarStore {
    let store = nn::VarStore::new(Device::Cpu);
    let root = store.root();
    for name in ["conv.weight", "norm.weight", "norm.bias", "bn.weight", "linear.bias"] {
        let (layer, field) = name.split_once('.').expect("a layer and a field");
        let _ = (&root / layer).var(field, &[3], Init::Const(1.0));
    }
    let variables = store.variables().into_values();
    variables.map(|v| v.sum(Kind::Float) * gradient).reduce(|a, b| a + b).expect("variables").backward();
    store
}

fn assert_values(store: &nn::VarStore, want: &[(&str, f64)]) {
    let variables = store.variables();
    assert_eq!(variables.len(), want.len());
    for (name, want) in want {
        let difference = (&variables[*name] - *want).abs().max().double_value(&[]);
        assert!(difference < 1e-6, "{name} is {} instead of {want}", variables[*name].mean(Kind::Float));
    }
}

fn config() -> AdamWConfig {
    AdamWConfig { lr: LR, weight_decay: DECAY, ..AdamWConfig::default() }
}

fn adamw(store: &nn::VarStore, config: AdamWConfig) -> AdamW {
    AdamW::new(store, config).expect("groups that fit")
}

#[test]
fn norms_are_not_decayed() {
    let store = store(0.0);
    adamw(&store, config()).step().expect("an update");
    let decayed = 1.0 - LR * DECAY;
    assert_values(
        &store,
        &[
            ("conv.weight", decayed),
            ("linear.bias", decayed),
            ("norm.weight", 1.0),
            ("norm.bias", 1.0),
            ("bn.weight", 1.0),
        ],
    );
}

#[test]
fn groups_have_their_own_rate_and_decay() {
    let store = store(0.0);
    let groups = vec![
        ParamGroup::new("conv").lr(0.5 * LR).weight_decay(0.2),
        ParamGroup::new("^(?=.*linear)(?=.*bias).*$").weight_decay(0.0),
        ParamGroup::new("norm|bn").lr(2.0 * LR).weight_decay(0.3),
    ];
    adamw(&store, AdamWConfig { groups, ..config() }).step().expect("an update");
    let rest = 1.0 - 2.0 * LR * 0.3;
    assert_values(
        &store,
        &[
            ("conv.weight", 1.0 - 0.5 * LR * 0.2),
            ("linear.bias", 1.0),
            ("norm.weight", rest),
            ("norm.bias", rest),
            ("bn.weight", rest),
        ],
    );
}

/// The first update of Adam is a whole step against the sign of the gradient, whatever its size.
#[test]
fn the_first_update_is_a_whole_step() {
    let store = store(-1e-3);
    let plain = AdamWConfig { weight_decay: 0.0, ..config() };
    let mut optimizer = adamw(&store, plain);
    optimizer.set_lr(0.25);
    optimizer.step().expect("an update");
    let variables = store.variables().into_values();
    variables.for_each(|v| assert!((v - 1.25).abs().max().double_value(&[]) < 1e-5));
}

#[test]
fn clipping_scales_to_the_norm_and_returns_what_it_was() {
    let store = store(2.0);
    let norm = 2.0 * 15f64.sqrt();
    let mut optimizer = adamw(&store, config());
    let total = || {
        let squares = store.variables().into_values().map(|v| v.grad().square().sum(Kind::Double));
        squares.sum::<Tensor>().sqrt().double_value(&[])
    };
    assert!((optimizer.clip_grad_norm(0.0).expect("finite") - norm).abs() < 1e-5);
    assert!((total() - norm).abs() < 1e-5, "0 does not clip");
    assert!((optimizer.clip_grad_norm(0.1).expect("finite") - norm).abs() < 1e-5);
    assert!((total() - 0.1).abs() < 1e-6);
    optimizer.zero_grad();
    assert!(store.variables().into_values().all(|v| !v.grad().defined()));
    optimizer.step().expect("parameters without a gradient are left out");
    assert!(store.variables().into_values().all(|v| v == Tensor::ones([3], (Kind::Float, Device::Cpu))));
}

#[test]
fn groups_that_overlap_or_cannot_be_read_are_refused() {
    let refused = |patterns: &[&str]| {
        let groups = patterns.iter().map(|pattern| ParamGroup::new(pattern)).collect();
        AdamW::new(&store(0.0), AdamWConfig { groups, ..config() }).err().expect("a fault")
    };
    let overlap = refused(&["bn", "weight"]);
    assert!(
        matches!(&overlap, ParamGroupError::Overlap { parameter, .. } if parameter == "bn.weight"),
        "{overlap}"
    );
    let broken = refused(&["(?=norm"]);
    assert!(broken.to_string().contains("`(?=norm` is not a regular expression"), "{broken}");
}
