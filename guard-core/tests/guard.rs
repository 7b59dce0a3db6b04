//! `TrainMemoryGuard`: exact bytes, bounded history, leaks found and warm-up forgiven.

mod alone;

use alone::alone;
use guard_core::{
    Detached, GuardConfig, LossError, MemoryReport, TrainMemoryGuard, Warning, Watched, memory,
};
use tch::nn::{self, OptimizerConfig};
use tch::{Device, Kind, Tensor};

const CPU: (Kind, Device) = (Kind::Float, Device::Cpu);

fn weight() -> Tensor {
    Tensor::ones([4], CPU).set_requires_grad(true)
}

fn suspects(report: &MemoryReport) -> Vec<Watched> {
    let what = |warning: &Warning| match warning {
        Warning::LeakSuspected { what, .. } => Some(*what),
        Warning::OverLimit { .. } => None,
    };
    report.warnings.iter().filter_map(what).collect()
}

#[test]
fn two_hundred_recorded_losses_cost_no_byte_of_tensors() {
    let _alone = alone();
    let w = weight();
    w.sum(Kind::Float).backward(); // allocates the gradient
    let mut guard = TrainMemoryGuard::new(GuardConfig::default());
    let before = memory::live_bytes();
    for _ in 0..200 {
        let loss = (&w * 2.0).exp().mean(Kind::Float);
        loss.backward();
        guard.record_loss(&loss).expect("a scalar");
    }
    assert_eq!(memory::live_bytes() - before, 0);
    assert_eq!(guard.loss_history().len(), 200);
}

#[test]
fn a_held_row_costs_a_row() {
    let _alone = alone();
    let mut guard = TrainMemoryGuard::new(GuardConfig::default());
    let before = memory::live_bytes();
    {
        let features = Tensor::rand([64, 1000], CPU).set_requires_grad(true) * 2.0;
        guard.hold_tensor(&features.get(5), "row");
    }
    assert_eq!(memory::live_bytes() - before, 4000);
    let held = guard.held("row").expect("just held");
    assert!(!held.requires_grad());
    assert_eq!(held.size(), [1000]);
    assert_eq!(guard.check().held_bytes, 4000);
}

#[test]
fn a_name_holds_one_tensor() {
    let _alone = alone();
    let mut guard = TrainMemoryGuard::new(GuardConfig { offload_to_cpu: true, ..Default::default() });
    let before = memory::live_bytes();
    for step in 0..10 {
        guard.hold_tensor(&(weight() * f64::from(step)), "features");
    }
    guard.hold_tensor(&weight(), "other");
    assert_eq!(memory::live_bytes() - before, 2 * 16);
    assert_eq!(guard.held_names().collect::<Vec<_>>(), ["features", "other"]);
    assert_eq!(guard.held("features").expect("held").double_value(&[0]), 9.0);
    assert!(guard.held("nothing").is_none());
    let released = guard.release("features").expect("held");
    assert!(guard.held("features").is_none() && !released.requires_grad());
    drop(released);
    assert_eq!(memory::live_bytes() - before, 16);
}

#[test]
fn the_history_is_bounded_and_drops_the_oldest() {
    let _alone = alone();
    let mut guard = TrainMemoryGuard::new(GuardConfig { max_history: 3, ..Default::default() });
    for loss in [1.0, 2.0, 3.0, 4.0, 5.0] {
        assert_eq!(guard.record_loss(loss).expect("a number"), loss);
    }
    assert_eq!(guard.loss_history(), &[3.0, 4.0, 5.0]);
    let mut none = TrainMemoryGuard::new(GuardConfig { max_history: 0, ..Default::default() });
    none.record_loss(1.0f32).expect("a number");
    assert!(none.loss_history().is_empty());
}

#[test]
fn a_loss_is_one_number_of_any_kind() {
    let _alone = alone();
    let mut guard = TrainMemoryGuard::new(GuardConfig::default());
    for kind in [Kind::Half, Kind::BFloat16, Kind::Double, Kind::Int64] {
        assert_eq!(guard.record_loss(&Tensor::ones([1, 1], (kind, Device::Cpu))).expect("a number"), 1.0);
    }
    guard.record_loss(&Detached::from(Tensor::from(2.5f32))).expect("a number");
    let error = guard.record_loss(&Tensor::zeros([2, 3], CPU)).expect_err("six numbers");
    assert!(matches!(&error, LossError::NotScalar { size } if *size == [2, 3]));
    assert!(error.to_string().contains("[2, 3]"), "{error}");
    assert!(guard.record_loss(&Tensor::new()).is_err(), "an undefined tensor");
    assert_eq!(guard.loss_history().len(), 5, "what is no loss is not recorded");
}

#[test]
fn a_check_reports_exact_bytes() {
    let _alone = alone();
    let mut guard = TrainMemoryGuard::new(GuardConfig::default());
    guard.reset_peak();
    let first = guard.check();
    assert_eq!((first.delta_bytes, first.peak_bytes), (0, first.live_bytes));
    let kept = Tensor::zeros([100], CPU);
    drop(Tensor::zeros([1000], CPU));
    let second = guard.check();
    assert_eq!((second.step, second.delta_bytes, second.live_bytes - first.live_bytes), (2, 400, 400));
    assert_eq!(second.peak_bytes - first.live_bytes, 4400);
    drop(kept);
    guard.reset_peak();
    assert_eq!(guard.check().delta_bytes, -400);
    assert_eq!(guard.peak_bytes(), first.live_bytes);
}

#[test]
fn too_many_bytes_are_called_out() {
    let _alone = alone();
    let limit = memory::live_bytes() + 1000;
    let mut guard = TrainMemoryGuard::new(GuardConfig { warn_bytes: Some(limit), ..Default::default() });
    assert!(guard.check().warnings.is_empty());
    let large = Tensor::zeros([1000], CPU);
    let report = guard.check();
    assert_eq!(report.warnings, [Warning::OverLimit { live: memory::live_bytes(), limit }]);
    assert!(report.to_string().contains("warning: "), "{report}");
    drop(large);
    assert!(guard.check().warnings.is_empty());
}

/// A small convolutional training loop; `keep` sees each step's loss and features. Returns the last report.
fn train(steps: usize, mut keep: impl FnMut(Tensor, Tensor)) -> MemoryReport {
    let vs = nn::VarStore::new(Device::Cpu);
    let conv = nn::conv2d(vs.root() / "conv", 3, 4, 3, Default::default());
    let norm = nn::batch_norm2d(vs.root() / "norm", 4, Default::default());
    let mut optimizer = nn::AdamW::default().build(&vs, 1e-3).expect("an optimizer");
    let mut guard = TrainMemoryGuard::new(GuardConfig::default());
    let images = Tensor::rand([2, 3, 12, 12], CPU);
    for _ in 0..steps {
        let features = images.apply(&conv).apply_t(&norm, true).relu();
        let loss = features.square().mean(Kind::Float);
        optimizer.backward_step(&loss);
        guard.record_loss(&loss).expect("a scalar");
        keep(loss, features);
        guard.check();
    }
    guard.check()
}

#[test]
fn a_clean_loop_raises_no_suspicion() {
    let _alone = alone();
    for steps in [40, 250] {
        let report = train(steps, |loss, features| drop((loss, features)));
        assert_eq!((report.delta_bytes, suspects(&report)), (0, vec![]), "{report}");
    }
}

#[test]
fn kept_features_grow_the_tensor_bytes() {
    let _alone = alone();
    let mut features = Vec::new();
    let report = train(60, |_, feature| features.push(feature.detach()));
    let [Warning::LeakSuspected { what: Watched::TensorBytes, per_step, .. }] = report.warnings[..] else {
        panic!("{report}")
    };
    assert_eq!(per_step, f64::from(2 * 4 * 10 * 10 * 4), "batch, channels, height, width, bytes");
}

#[test]
fn kept_losses_grow_the_heap_by_their_nodes() {
    let _alone = alone();
    let mut losses = Vec::new();
    let report = train(250, |loss, _| losses.push(loss));
    println!("{report}");
    // The 0-d loss of `mean` is 4 bytes; what it pins is the heap.
    assert_eq!(suspects(&report), [Watched::TensorBytes, Watched::HeapBytes], "{report}");
}

#[test]
fn a_running_total_grows_the_graph_of_the_loss() {
    let _alone = alone();
    let w = weight();
    let mut guard = TrainMemoryGuard::new(GuardConfig::default());
    let mut total = Tensor::from(0.0f32);
    for _ in 0..40 {
        total += (&w * 2.0).sum(Kind::Float);
        guard.record_loss(&total).expect("a scalar");
        guard.check();
    }
    let report = guard.check();
    let nodes = report.warnings.iter().find_map(|warning| match warning {
        Warning::LeakSuspected { what: Watched::LossNodes, per_step, .. } => Some(*per_step),
        _ => None,
    });
    assert!(nodes.is_some_and(|nodes| (2.5..=3.0).contains(&nodes)), "add, sum and mul per step: {report}");
}
