//! Reading fixtures and comparing with them.

use std::collections::HashMap;
use std::path::PathBuf;

use serde_json::{Value, json};
use tch::{Device, Kind, Tensor, nn};
use trainer::model::{NoiseSource, Predictions, RtDetrConfig};
use trainer::ops::Targets;
use trainer::train::{AdamW, AdamWConfig, ParamGroup};

/// Named tensors of one file.
pub type Fixture = HashMap<String, Tensor>;

fn path(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "fixtures", name].iter().collect()
}

/// All tensors of `fixtures/<name>`.
pub fn tensors(name: &str) -> Fixture {
    let path = path(name);
    Tensor::read_safetensors(&path)
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()))
        .into_iter()
        .collect()
}

/// The value of `fixtures/<name>`.
pub fn json(name: &str) -> Value {
    let path = path(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The largest difference relative to `max(1, largest expected value)`; equal infinities differ by nothing.
pub fn error(got: &Tensor, want: &Tensor) -> f64 {
    assert_eq!(got.size(), want.size(), "shapes differ");
    if want.numel() == 0 {
        return 0.;
    }
    let (got, want) = (got.detach().to_kind(Kind::Double), want.to_kind(Kind::Double));
    let difference = (&got - &want).abs().masked_fill(&got.eq_tensor(&want), 0.);
    let finite = want.abs().masked_fill(&want.isinf(), 0.);
    let scale = finite.max().double_value(&[]).max(1.);
    let worst = difference.max().double_value(&[]) / scale;
    if worst.is_nan() { f64::INFINITY } else { worst }
}

/// Collects comparisons, prints the worst and fails with all that exceed the tolerance.
pub struct Report {
    what: String,
    tolerance: f64,
    worst: (f64, String),
    faults: Vec<String>,
}

impl Report {
    /// A report on `what` with one tolerance for all comparisons.
    pub fn new(what: &str, tolerance: f64) -> Self {
        Self { what: what.to_string(), tolerance, worst: (0., String::new()), faults: Vec::new() }
    }

    /// Compares one tensor.
    pub fn compare(&mut self, name: &str, got: &Tensor, want: &Tensor) {
        let error = error(got, want);
        if error > self.worst.0 {
            self.worst = (error, name.to_string());
        }
        if error > self.tolerance {
            self.faults.push(format!("{name}: {error:.2e}"));
        }
    }

    /// Compares logits and boxes with `<prefix>pred_logits` and `<prefix>pred_boxes`.
    pub fn predictions(&mut self, prefix: &str, got: &Predictions, want: &Fixture) {
        for (key, tensor) in [("pred_logits", &got.pred_logits), ("pred_boxes", &got.pred_boxes)] {
            let name = format!("{prefix}{key}");
            self.compare(&name, tensor, &want[&name]);
        }
    }

    /// Prints the worst error; panics on faults.
    pub fn finish(self) {
        println!("{}: worst error {:.2e} ({})", self.what, self.worst.0, self.worst.1);
        assert!(self.faults.is_empty(), "{} beyond {:.0e}: {:#?}", self.what, self.tolerance, self.faults);
    }
}

/// Writes `<prefix><name>` of the fixture into every variable; panics if names or shapes differ.
pub fn load(store: &nn::VarStore, fixture: &Fixture, prefix: &str) {
    let variables = store.variables();
    let expected = fixture.keys().filter(|key| key.starts_with(prefix)).count();
    assert_eq!(variables.len(), expected, "the state has other keys: {:?}", variables.keys());
    for (name, tensor) in variables {
        let value = fixture.get(&format!("{prefix}{name}")).unwrap_or_else(|| panic!("no {prefix}{name}"));
        assert_eq!(tensor.size(), value.size(), "{name}");
        tensor.detach().copy_(value);
    }
}

/// Compares the gradient of every variable with `<prefix><name>`; one that is absent there must have none.
pub fn compare_gradients(report: &mut Report, store: &nn::VarStore, fixture: &Fixture, prefix: &str) {
    for (name, tensor) in store.variables() {
        match fixture.get(&format!("{prefix}{name}")) {
            Some(want) => report.compare(&format!("grad of {name}"), &tensor.grad(), want),
            None => assert!(!tensor.requires_grad() || !tensor.grad().defined(), "{name} has a gradient"),
        }
    }
}

/// A leaf with gradient that holds the values of `tensor`.
pub fn leaf(tensor: &Tensor) -> Tensor {
    tensor.copy().set_requires_grad(true)
}

/// Back-propagates `cotangent` from `out`.
pub fn backward(out: &Tensor, cotangent: &Tensor) {
    (out * cotangent).sum(Kind::Float).backward();
}

/// The network of a tiny variant's `meta.json`, with stored anchors for its size.
pub fn tiny_config(meta: &Value) -> RtDetrConfig {
    let mut config = meta["config"].clone();
    config["eval_spatial_size"] = config["size"].clone();
    config["backbone"] = tiny_backbone(&config["backbone"]);
    let config = config.as_object_mut().expect("an object");
    for key in ["size", "criterion", "matcher", "targets"] {
        config.remove(key);
    }
    serde_json::from_value(Value::Object(config.clone())).expect("a network configuration")
}

/// The backbone under the name of its kind; the small HGNetV2 with its channels written out.
fn tiny_backbone(backbone: &Value) -> Value {
    let mut fields = backbone.as_object().expect("an object").clone();
    let kind = fields.remove("kind").expect("a kind");
    if fields.get("name").is_some_and(|name| name == "T") {
        fields.remove("name");
        let stage = |mid: i64, out: i64, blocks: i64, downsample: bool, light: bool, kernel: i64| {
            json!({
                "mid_channels": mid, "out_channels": out, "blocks": blocks, "downsample": downsample,
                "light": light, "kernel": kernel, "layers": 2,
            })
        };
        fields.insert("stem".to_owned(), json!([8, 12]));
        let stages = json!([
            stage(8, 16, 1, false, false, 3),
            stage(8, 24, 1, true, false, 3),
            stage(12, 32, 2, true, true, 5),
            stage(16, 40, 1, true, true, 5),
        ]);
        fields.insert("stages".to_owned(), stages);
    }
    json!({ kind.as_str().expect("a name"): fields })
}

/// The ground truth of a `targets` entry.
pub fn targets(value: &Value) -> Targets {
    let images = value.as_array().expect("a list of images");
    let labels: Vec<Vec<i64>> =
        images.iter().map(|image| serde_json::from_value(image["labels"].clone()).expect("labels")).collect();
    let boxes: Vec<Vec<[f32; 4]>> =
        images.iter().map(|image| serde_json::from_value(image["boxes"].clone()).expect("boxes")).collect();
    Targets::new(&labels, &boxes, Device::Cpu)
}

/// The optimiser of a `recipe`: groups found by patterns, and the rest.
pub fn optimizer(store: &nn::VarStore, recipe: &Value) -> AdamW {
    let group = |group: &Value| ParamGroup {
        pattern: group["params"].as_str().expect("a pattern").to_owned(),
        lr: group["lr"].as_f64(),
        weight_decay: group["weight_decay"].as_f64(),
    };
    let groups = recipe["groups"].as_array().expect("a list").iter().map(group).collect();
    let number = |key: &str| recipe[key].as_f64().expect("a number");
    let config = AdamWConfig {
        lr: number("lr"),
        weight_decay: number("weight_decay"),
        groups,
        ..AdamWConfig::default()
    };
    AdamW::new(store, config).expect("groups that do not overlap")
}

/// Replays recorded draws `<prefix>rand_label` and so on, and checks that the shapes asked for agree.
pub struct Replay<'a> {
    fixture: &'a Fixture,
    prefix: String,
}

impl<'a> Replay<'a> {
    /// The draws of `fixture` behind `prefix`.
    pub fn new(fixture: &'a Fixture, prefix: &str) -> Self {
        Self { fixture, prefix: prefix.to_string() }
    }

    fn draw(&self, name: &str, dims: &[i64]) -> Tensor {
        let draw = self.fixture[&format!("{}{name}", self.prefix)].shallow_clone();
        assert_eq!(draw.size(), dims, "{name}");
        draw
    }
}

impl NoiseSource for Replay<'_> {
    fn rand_label(&mut self, dims: [i64; 2], _: Device) -> Tensor {
        self.draw("rand_label", &dims)
    }

    fn new_label(&mut self, _: i64, dims: [i64; 2], _: Device) -> Tensor {
        self.draw("new_label", &dims)
    }

    fn rand_sign01(&mut self, dims: [i64; 3], _: Device) -> Tensor {
        self.draw("rand_sign01", &dims)
    }

    fn rand_part(&mut self, dims: [i64; 3], _: Device) -> Tensor {
        self.draw("rand_part", &dims)
    }
}
