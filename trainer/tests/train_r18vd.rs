//! One optimiser step of the real S model at 128x128 with its published recipe, against the official code: every loss term,
//! every gradient, every parameter and running statistic after the step.

mod support;

use serde_json::Value;
use support::formula;
use support::golden::{self, Fixture, Replay};
use tch::{Device, Kind, Tensor, nn};
use trainer::config::{DataSource, Preset, TrainConfig};
use trainer::loss::Criterion;
use trainer::model::RtDetr;
use trainer::train::AdamW;

/// Largest accepted error of a loss term, relative to it.
const LOSS: f64 = 1e-5;
/// Largest accepted error of a gradient, relative to its norm. An activation that rounds to the other side of a ReLU's kink
/// changes sums over cells by a jump: the official code in f32 and in f64 differs by up to 2.1e-3 here.
const GRADIENT: f64 = 2e-3;
/// Largest accepted mean of those errors.
const MEAN_GRADIENT: f64 = 5e-5;
/// Largest accepted error of a norm after the step, relative to it.
const NORM: f64 = 5e-5;
/// A gradient this small beside all of them is rounding noise around an exact zero.
const NOISE: f64 = 1e-8;

struct Step {
    config: TrainConfig,
    meta: Value,
    recorded: Fixture,
    store: nn::VarStore,
    model: RtDetr,
    total_norm: f64,
}

impl Step {
    fn new() -> Self {
        // As the official code ran: rounding depends on the number of threads.
        tch::set_num_threads(1);
        let mut config = Preset::find("rtdetrv2_r18vd").expect("a preset").config(DataSource::SHAPES);
        config.set_side(128);
        let store = nn::VarStore::new(Device::Cpu);
        let model = RtDetr::new(&store.root(), &config.model).expect("a valid configuration");
        let meta = golden::json("r18vd_128/meta.json");
        formula::fill(&store, "");
        let total_norm = number(&meta["grad_total_norm"]);
        Self {
            config,
            recorded: golden::tensors("r18vd_128/train.safetensors"),
            meta,
            store,
            model,
            total_norm,
        }
    }

    fn backward(&self) {
        let images = formula::image(self.meta["image_key"].as_str().expect("a key"), [2, 3, 128, 128]);
        let targets = golden::targets(&self.meta["targets"]);
        let outputs = self.model.forward_train(&images, &targets, &mut Replay::new(&self.recorded, "noise."));
        let losses = Criterion::new(self.config.criterion.clone()).forward(&outputs, &targets);
        let losses = losses.expect("finite outputs");
        let values = losses.values();
        let wanted = self.meta["losses"].as_object().expect("an object");
        assert_eq!(values.terms.len(), wanted.len(), "terms");
        let terms =
            values.terms.iter().map(|(name, value)| (name.as_str(), *value, number(&wanted[name]), LOSS));
        compare("loss terms", terms);
        losses.total().backward();
    }

    fn check_gradients(&self) {
        let variables = self.store.variables();
        let norms = self.meta["grad_norms"].as_object().expect("an object");
        let trained = norms.iter().filter(|(name, _)| !self.gradient_is_zero(name));
        let norms: Vec<_> = trained
            .map(|(name, norm)| (name.as_str(), norm_of(&variables[name].grad()), number(norm), GRADIENT))
            .collect();
        let sum: f64 = norms.iter().map(|(_, found, want, _)| (found - want).abs() / want).sum();
        let mean = sum / norms.len() as f64;
        println!("gradient norms: mean error {mean:.1e}");
        assert!(mean < MEAN_GRADIENT, "gradient norms: mean error {mean:.1e}");
        compare("gradient norms", norms.into_iter());
        let whole = self.recorded.iter().filter_map(|(key, want)| Some((key.strip_prefix("grad.")?, want)));
        for (name, want) in whole.filter(|(name, _)| !self.gradient_is_zero(name)) {
            let error = norm_of(&(variables[name].grad() - want)) / norm_of(want);
            assert!(error < GRADIENT, "gradient of {name}: error {error:.1e}");
        }
    }

    fn update(&self) {
        let mut optimizer = AdamW::new(&self.store, self.config.optimizer.clone()).expect("groups that fit");
        let norm = optimizer.clip_grad_norm(self.config.clip_max_norm).expect("finite gradients");
        compare("norm of all gradients", [("total", norm, self.total_norm, GRADIENT)].into_iter());
        optimizer.step().expect("an update");
    }

    fn check_state(&self) {
        let variables = self.store.variables();
        for part in ["param_norms_after", "bn_norms_after"] {
            let norms = self.meta[part].as_object().expect("an object");
            let compared = norms.iter().filter(|(name, _)| !self.gradient_is_zero(name));
            compare(
                part,
                compared.map(|(name, norm)| (name.as_str(), norm_of(&variables[name]), number(norm), NORM)),
            );
        }
    }

    /// Adam turns the rounding noise of a gradient that is zero into whole steps.
    fn gradient_is_zero(&self, name: &str) -> bool {
        self.meta["grad_norms"][name].as_f64().is_some_and(|norm| norm < NOISE * self.total_norm)
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn norm_of(tensor: &Tensor) -> f64 {
    tensor.detach().to_kind(Kind::Double).norm().double_value(&[])
}

/// Prints the worst of `name, found, expected, tolerance`, and fails with it where it is beyond.
fn compare<'a>(what: &str, numbers: impl Iterator<Item = (&'a str, f64, f64, f64)>) {
    let error = |found: f64, want: f64| (found - want).abs() / want.abs().max(1e-3);
    let errors = numbers.map(|(name, found, want, tolerance)| (error(found, want), name, tolerance));
    let (worst, name, tolerance) = errors.max_by(|a, b| a.0.total_cmp(&b.0)).expect("something to compare");
    println!("{what}: worst error {worst:.1e} ({name})");
    assert!(worst < tolerance, "{what}: error {worst:.1e} of {name}");
}

#[test]
fn one_official_step() {
    let step = Step::new();
    step.backward();
    step.check_gradients();
    step.update();
    step.check_state();
}
