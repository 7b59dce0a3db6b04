//! The whole network against the official implementation, on small variants and on the real ResNet-18 model.

mod support;

use serde_json::Value;
use support::formula;
use support::golden::{self, Fixture, Replay, Report};
use tch::{Device, Tensor, nn};
use trainer::model::{RtDetr, RtDetrConfig};

/// Largest accepted error, relative to the largest value of a tensor.
const TOLERANCE: f64 = 1e-5;

struct Tiny {
    meta: Value,
    store: nn::VarStore,
    model: RtDetr,
    images: Tensor,
    name: String,
}

impl Tiny {
    fn new(name: &str) -> Self {
        let meta = golden::json(&format!("tiny/{name}/meta.json"));
        let store = nn::VarStore::new(Device::Cpu);
        let config = golden::tiny_config(&meta);
        let model = RtDetr::new(&store.root(), &config).expect("a valid configuration");
        formula::fill(&store, text(&meta["fill_prefix"]));
        let [height, width] = config.eval_spatial_size.expect("a size");
        let images = formula::image(text(&meta["image_key"]), [2, 3, height, width]);
        Self { meta, store, model, images, name: name.to_string() }
    }

    fn fixture(&self, file: &str) -> Fixture {
        golden::tensors(&format!("tiny/{}/{file}.safetensors", self.name))
    }

    fn check(&self) {
        self.check_keys();
        self.check_frozen();
        self.check_eval();
        self.check_train();
    }

    /// What f32 rounding alone does to the official training outputs, but no less than [`TOLERANCE`].
    fn train_tolerance(&self) -> f64 {
        self.meta["f32_vs_f64"]["train_out"].as_f64().expect("a number").max(TOLERANCE)
    }

    fn check_keys(&self) {
        let Some(keys) = self.meta["state_keys"].as_array() else { return };
        let mut got: Vec<String> = self
            .store
            .variables()
            .iter()
            .map(|(name, tensor)| format!("{name} {:?} {:?}", tensor.size(), tensor.kind()))
            .collect();
        let kind = |name: &Value| match text(name) {
            "float32" => "Float",
            "int64" => "Int64",
            "bool" => "Bool",
            other => panic!("kind {other}"),
        };
        let dims = |value: &Value| serde_json::from_value::<Vec<i64>>(value.clone()).expect("a shape");
        let mut want: Vec<String> = keys
            .iter()
            .map(|key| format!("{} {:?} {}", text(&key[0]), dims(&key[1]), kind(&key[2])))
            .collect();
        got.sort();
        want.sort();
        assert_eq!(got, want, "{}: the state keys differ", self.name);
    }

    /// Parameters that are excluded from training; buffers never require gradients.
    fn check_frozen(&self) {
        let names: Vec<String> = serde_json::from_value(self.meta["frozen"].clone()).expect("a list");
        let variables = self.store.variables();
        for name in &names {
            assert!(!variables[name].requires_grad(), "{name} is trained");
        }
        let trained = variables.values().filter(|tensor| tensor.requires_grad());
        let frozen = names.iter().map(|name| variables[name].numel()).sum::<usize>();
        let count = trained.map(Tensor::numel).sum::<usize>() + frozen;
        assert_eq!(count as u64, self.meta["param_count"].as_u64().expect("a number"), "parameters");
    }

    fn check_eval(&self) {
        let mut report = Report::new(&format!("{} eval", self.name), TOLERANCE);
        let got = tch::no_grad(|| self.model.forward_eval(&self.images));
        report.predictions("", &got, &self.fixture("eval"));
        report.finish();
    }

    fn check_train(&self) {
        let mut report = Report::new(&format!("{} train", self.name), self.train_tolerance());
        let want = self.fixture("train");
        let targets = golden::targets(&self.meta["targets"]);
        let got = self.model.forward_train(&self.images, &targets, &mut Replay::new(&want, "noise.0."));
        report.predictions("", &got.main, &want);
        let lists =
            [("aux_outputs", &got.aux), ("enc_aux_outputs", &got.enc_aux), ("dn_aux_outputs", &got.dn_aux)];
        for (name, list) in lists {
            let count = want.keys().filter(|key| key.starts_with(name)).count();
            assert_eq!(2 * list.len(), count, "{name}");
            for (i, predictions) in list.iter().enumerate() {
                report.predictions(&format!("{name}.{i}."), predictions, &want);
            }
        }
        for (image, positions) in got.dn_meta.iter().flat_map(|meta| &meta.positive_idx).enumerate() {
            assert_eq!(&ints(&want[&format!("dn_positive_idx.{image}")]), positions);
        }
        report.finish();
    }
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

fn ints(tensor: &Tensor) -> Vec<i64> {
    Vec::try_from(tensor).expect("a vector of integers")
}

#[test]
fn r18_default() {
    Tiny::new("r18_default").check();
}

#[test]
fn r18_four_levels() {
    Tiny::new("r18_4level").check();
}

#[test]
fn r18_agnostic_selection() {
    Tiny::new("r18_agnostic_label0").check();
}

#[test]
fn r18_batch_without_objects() {
    Tiny::new("r18_allempty").check();
}

#[test]
fn r18_discrete_sampling() {
    Tiny::new("r18_discrete").check();
}

#[test]
fn r18_frozen_backbone() {
    Tiny::new("r18_frozen").check();
}

#[test]
fn r18_invalid_anchors() {
    Tiny::new("r18_invalid_anchors").check();
}

#[test]
fn r18_learnt_content() {
    Tiny::new("r18_learnquery").check();
}

#[test]
fn r18_more_objects_than_denoising_queries() {
    Tiny::new("r18_manygt").check();
}

#[test]
fn r18_without_denoising() {
    Tiny::new("r18_nodn").check();
}

#[test]
fn r18_one_to_many_selection() {
    Tiny::new("r18_one2many").check();
}

#[test]
fn r18_one_image_without_objects() {
    Tiny::new("r18_oneempty").check();
}

#[test]
fn r50_with_early_evaluation_layer() {
    Tiny::new("r50_frozen_evalidx").check();
}

#[test]
fn hgnet_with_frozen_norms() {
    Tiny::new("hgnet_frozen").check();
}

#[test]
fn hgnet_with_affine_layers() {
    Tiny::new("hgnet_lab").check();
}

#[test]
fn hgnet_with_trained_norms() {
    Tiny::new("hgnet_trainbn").check();
}

/// The reference is the official code with one change: its position table lists cells row by row, as the tokens.
#[test]
fn r18_wide_image() {
    Tiny::new("r18_rect_row_major").check();
}

/// Wide images are where this network is meant to differ from the unchanged official code.
#[test]
fn r18_wide_image_differs_from_the_scrambled_position_table() {
    let tiny = Tiny::new("r18_rect");
    let got = tch::no_grad(|| tiny.model.forward_eval(&tiny.images));
    let want = tiny.fixture("eval");
    assert!(golden::error(&got.pred_logits, &want["pred_logits"]) > 1e-2);
}

/// The real S model at 128x128, weights by formula.
#[test]
fn r18vd() {
    let meta = golden::json("r18vd_128/meta.json");
    let config = RtDetrConfig { eval_spatial_size: Some([128, 128]), ..RtDetrConfig::r18vd(80) };
    let store = nn::VarStore::new(Device::Cpu);
    let model = RtDetr::new(&store.root(), &config).expect("a valid configuration");
    formula::fill(&store, meta["fill_prefix"].as_str().unwrap_or_default());
    let images = formula::image(text(&meta["image_key"]), [2, 3, 128, 128]);
    let mut report = Report::new("r18vd eval", TOLERANCE);
    let got = tch::no_grad(|| model.forward_eval(&images));
    report.predictions("", &got, &golden::tensors("r18vd_128/eval.safetensors"));
    report.finish();
    check_r18vd_train(&model, &images, &meta);
}

fn check_r18vd_train(model: &RtDetr, images: &Tensor, meta: &Value) {
    let want = golden::tensors("r18vd_128/train.safetensors");
    let mut report = Report::new("r18vd train", TOLERANCE);
    let targets = golden::targets(&meta["targets"]);
    let got = model.forward_train(images, &targets, &mut Replay::new(&want, "noise."));
    report.compare("pred_boxes", &got.main.pred_boxes, &want["pred_boxes"]);
    report.compare("pred_logits", &got.main.pred_logits.narrow(1, 0, 60), &want["pred_logits_first60"]);
    report.compare("enc_boxes", &got.enc_aux[0].pred_boxes, &want["enc_boxes"]);
    report.compare("dn0_boxes", &got.dn_aux[0].pred_boxes, &want["dn0_boxes"]);
    report.finish();
}
