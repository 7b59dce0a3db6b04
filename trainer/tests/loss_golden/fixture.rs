//! Reading fixtures, building outputs and targets from them, comparing.

use std::collections::HashMap;
use std::path::PathBuf;

use serde_json::Value;
use tch::{Device, Kind, Tensor};
use trainer::model::{DnMeta, Predictions, TrainOutputs};
use trainer::ops::Targets;

pub fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

pub fn json(name: &str) -> Value {
    let text = std::fs::read_to_string(path(name)).expect("fixture is readable");
    serde_json::from_str(&text).expect("fixture is JSON")
}

/// The tensors of a safetensors file by name.
pub struct Tensors(HashMap<String, Tensor>);

impl Tensors {
    pub fn read(name: &str) -> Self {
        let tensors = Tensor::read_safetensors(path(name)).expect("fixture is a safetensors file");
        Self(tensors.into_iter().collect())
    }

    pub fn get(&self, name: &str) -> Tensor {
        self.0.get(name).unwrap_or_else(|| panic!("fixture has no tensor {name}")).shallow_clone()
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub fn predictions(&self, prefix: &str) -> Predictions {
        let field = |name: &str| self.get(&format!("{prefix}{name}"));
        Predictions { pred_logits: field("pred_logits"), pred_boxes: field("pred_boxes") }
    }

    /// `prefix.0`, `prefix.1`, … as far as they exist.
    fn list(&self, prefix: &str) -> Vec<Predictions> {
        let present = |i: &usize| self.has(&format!("{prefix}.{i}.pred_logits"));
        (0..).take_while(present).map(|i| self.predictions(&format!("{prefix}.{i}."))).collect()
    }
}

/// A case of `tiny`: outputs of the first training step, targets, and the description.
pub struct Tiny {
    pub outputs: TrainOutputs,
    pub targets: Targets,
    pub meta: Value,
}

impl Tiny {
    pub fn read(variant: &str) -> Self {
        let meta = json(&format!("tiny/{variant}/meta.json"));
        let tensors = Tensors::read(&format!("tiny/{variant}/train.safetensors"));
        let targets = targets(&meta["targets"]);
        let outputs = TrainOutputs {
            main: tensors.predictions(""),
            aux: tensors.list("aux_outputs"),
            enc_aux: tensors.list("enc_aux_outputs"),
            dn_aux: tensors.list("dn_aux_outputs"),
            dn_meta: dn_meta(&tensors, &meta, targets.counts.len()),
        };
        Self { outputs, targets, meta }
    }
}

fn dn_meta(tensors: &Tensors, meta: &Value, batch: usize) -> Option<DnMeta> {
    let num_groups = meta["dn_num_group"].as_i64()?;
    let split = [0, 1].map(|i| meta["dn_num_split"][i].as_i64().expect("split has two numbers"));
    let positives = |image| {
        let index = tensors.get(&format!("dn_positive_idx.{image}"));
        Vec::<i64>::try_from(index).expect("index list")
    };
    Some(DnMeta { positive_idx: (0..batch).map(positives).collect(), num_groups, split })
}

/// `[{labels, boxes}]`.
pub fn targets(images: &Value) -> Targets {
    let images = images.as_array().expect("targets are a list");
    let labels: Vec<Vec<i64>> = images.iter().map(|image| decode(&image["labels"])).collect();
    let boxes: Vec<Vec<[f32; 4]>> = images.iter().map(|image| decode(&image["boxes"])).collect();
    Targets::new(&labels, &boxes, Device::Cpu)
}

pub fn decode<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).expect("fixture has the expected layout")
}

/// Largest difference; equal infinities and NaN at the same places count as equal.
pub fn max_difference(found: &Tensor, expected: &Tensor) -> f64 {
    assert_eq!(found.size(), expected.size(), "shapes differ");
    if found.numel() == 0 {
        return 0.0;
    }
    let same = found.eq_tensor(expected).logical_or(&found.isnan().logical_and(&expected.isnan()));
    let difference = (found - expected).abs().to_kind(Kind::Double).masked_fill(&same, 0.0);
    difference.max().double_value(&[])
}

#[track_caller]
pub fn assert_close(found: &Tensor, expected: &Tensor, tolerance: f64) {
    let difference = max_difference(found, expected);
    assert!(difference <= tolerance, "largest difference {difference:e} is above {tolerance:e}");
}

#[track_caller]
pub fn assert_relative(name: &str, found: f64, expected: f64, tolerance: f64) {
    let difference = (found - expected).abs() / expected.abs().max(1e-3);
    assert!(difference <= tolerance, "{name}: {found} instead of {expected}, relative {difference:e}");
}
