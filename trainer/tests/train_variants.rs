//! Training steps of every tiny network against the official ones: loss terms, gradients, updated parameters.

mod support;

use serde_json::Value;
use support::formula;
use support::golden::{self, Fixture, Replay};
use tch::{Device, Kind, Tensor, nn};
use trainer::loss::{Criterion, CriterionConfig};
use trainer::model::RtDetr;
use trainer::ops::Targets;
use trainer::train::AdamW;

/// Largest accepted error of a loss term, relative to the term or to 1.
const LOSS: f64 = 1e-5;
/// Largest accepted error of a gradient, relative to its norm.
const GRADIENT: f64 = 1e-4;
/// Gradients of a smaller norm are rounding noise beside a total norm of about 100.
const NOISE: f64 = 1e-5;
/// Largest accepted error of a parameter's norm after the last step, relative to the norm or to 1.
const PARAMETER: f64 = 1e-4;

struct Variant {
    name: String,
    meta: Value,
    draws: Fixture,
    images: Tensor,
    targets: Targets,
    store: nn::VarStore,
    model: RtDetr,
    optimizer: AdamW,
}

impl Variant {
    fn new(name: &str) -> Self {
        // As the official code ran: rounding depends on the number of threads.
        tch::set_num_threads(1);
        let meta = golden::json(&format!("tiny/{name}/meta.json"));
        let config = golden::tiny_config(&meta);
        let store = nn::VarStore::new(Device::Cpu);
        let model = RtDetr::new(&store.root(), &config).expect("a valid configuration");
        formula::fill(&store, meta["fill_prefix"].as_str().expect("a prefix"));
        let [height, width] = config.eval_spatial_size.expect("a size");
        Self {
            name: name.to_owned(),
            draws: golden::tensors(&format!("tiny/{name}/train.safetensors")),
            images: formula::image(meta["image_key"].as_str().expect("a key"), [2, 3, height, width]),
            targets: golden::targets(&meta["targets"]),
            optimizer: golden::optimizer(&store, &meta["optimizer"]),
            meta,
            store,
            model,
        }
    }

    fn check(mut self) {
        let steps = self.meta["steps"].as_array().expect("a list").len();
        for step in 0..steps {
            self.backward(step);
            let clip = number(&self.meta["optimizer"]["clip_max_norm"]);
            let norm = self.optimizer.clip_grad_norm(clip).expect("finite gradients");
            if step == 0 {
                assert_close(
                    "norm of all gradients",
                    norm,
                    &self.meta["steps"][0]["grad_total_norm"],
                    GRADIENT,
                );
            }
            let warmup = number(&self.meta["optimizer"]["warmup_duration"]);
            let base_lr = number(&self.meta["optimizer"]["lr"]);
            self.optimizer.set_lr(base_lr * ((step + 1) as f64 / warmup).min(1.0));
            self.optimizer.step().expect("an update");
            self.optimizer.zero_grad();
        }
        self.check_parameters();
    }

    /// Forward and backward; the first step is compared term by term and gradient by gradient.
    fn backward(&self, step: usize) {
        let mut noise = Replay::new(&self.draws, &format!("noise.{step}."));
        let outputs = self.model.forward_train(&self.images, &self.targets, &mut noise);
        let losses = Criterion::new(CriterionConfig::default()).forward(&outputs, &self.targets);
        let losses = losses.expect("finite outputs");
        losses.total().backward();
        if step > 0 {
            return;
        }
        let wanted = &self.meta["steps"][0]["losses"];
        let values = losses.values();
        assert_eq!(values.terms.len(), wanted.as_object().expect("an object").len(), "terms");
        for (name, value) in &values.terms {
            assert_close(name, *value, &wanted[name], LOSS);
        }
        self.check_gradients();
    }

    fn check_gradients(&self) {
        let wanted = self.meta["grad_norms_step0"].as_object().expect("an object");
        let whole = golden::tensors(&format!("tiny/{}/grads_some.safetensors", self.name));
        let variables = self.store.variables();
        let mut worst = (0., "");
        for (name, norm) in wanted.iter().filter(|(name, _)| !self.gradient_is_zero(name)) {
            let grad = variables[name].grad().to_kind(Kind::Double);
            let norm = number(norm).max(1e-3);
            let error = match whole.get(name) {
                Some(want) => (&grad - want).norm().double_value(&[]) / norm,
                None => (grad.norm().double_value(&[]) - norm).abs() / norm,
            };
            if error > worst.0 {
                worst = (error, name);
            }
        }
        println!("{}: worst gradient {:.1e} ({})", self.name, worst.0, worst.1);
        let rounding = number(&self.meta["f32_vs_f64"]["grads_worst_rel"]);
        assert!(worst.0 < GRADIENT.max(2. * rounding), "gradient of {}: {:.1e}", worst.1, worst.0);
        let with_gradient = variables.values().filter(|v| v.requires_grad() && v.grad().defined()).count();
        assert_eq!(with_gradient, wanted.len(), "parameters with a gradient");
    }

    fn check_parameters(&self) {
        let variables = self.store.variables();
        for (name, norm) in self.meta["param_norms_last"].as_object().expect("an object") {
            if !self.gradient_is_zero(name) {
                let found = variables[name].to_kind(Kind::Double).norm().double_value(&[]);
                assert_close(&format!("{name} after the last step"), found, norm, PARAMETER);
            }
        }
    }

    /// Whether a gradient is nothing but rounding noise, which Adam turns into whole steps: a shift that the next norm
    /// removes, the scale of an affine layer in front of a norm.
    fn gradient_is_zero(&self, name: &str) -> bool {
        let names = self.meta["zero_gradient_params"]["names"].as_array().expect("a list");
        let norm = self.meta["grad_norms_step0"][name].as_f64();
        names.iter().any(|zero| zero == name) || norm.is_some_and(|norm| norm < NOISE)
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

#[track_caller]
fn assert_close(what: &str, got: f64, want: &Value, tolerance: f64) {
    let want = number(want);
    let error = (got - want).abs() / want.abs().max(1.0);
    assert!(error <= tolerance, "{what}: {got} instead of {want}, error {error:.1e}");
}

macro_rules! variants {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            Variant::new(stringify!($name)).check();
        }
    )*};
}

variants! {
    hgnet_frozen
    hgnet_lab
    hgnet_trainbn
    r18_4level
    r18_agnostic_label0
    r18_allempty
    r18_discrete
    r18_frozen
    r18_invalid_anchors
    r18_learnquery
    r18_manygt
    r18_nodn
    r18_one2many
    r18_oneempty
    r18_rect_row_major
    r50_frozen_evalidx
}
