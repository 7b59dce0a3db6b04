//! The published sizes at full scale: state keys and shapes in order, what is trained, parameter groups, and what the
//! network answers when its parameters are filled by formula.

mod support;

use serde_json::Value;
use support::{formula, golden};
use tch::{Device, Kind, Tensor, nn};
use trainer::config::{DataSource, Preset};
use trainer::eval::{PostProcessor, PostProcessorConfig};
use trainer::model::{Predictions, RtDetr, state_order};
use trainer::train::AdamW;

/// Largest accepted difference of a sum, relative to the sum of the absolute values.
const TOLERANCE: f64 = 1e-5;

/// A row of `keys_*.json`: name, shape, "p" for a parameter, group of the optimiser (-1 frozen, absent for buffers).
type Row = (String, Vec<i64>, String, Option<i64>);

struct Built {
    preset: &'static Preset,
    store: nn::VarStore,
    model: RtDetr,
    meta: Value,
    rows: Vec<Row>,
}

impl Built {
    fn new(name: &str) -> Self {
        // As the official code ran: rounding depends on the number of threads.
        tch::set_num_threads(1);
        let preset = Preset::find(name).expect("a preset");
        let store = nn::VarStore::new(Device::Cpu);
        let model = RtDetr::new(&store.root(), &preset.model()).expect("a valid configuration");
        let meta = golden::json("presets/presets.json")["presets"][preset.name].clone();
        let rows = golden::json(meta["keys_file"].as_str().expect("a file"));
        let rows = serde_json::from_value(rows).expect("rows");
        Self { preset, store, model, meta, rows }
    }

    fn check(&self) {
        self.check_state();
        self.check_groups();
        self.check_outputs();
    }

    /// Names, shapes and what is trained, in the official order.
    fn check_state(&self) {
        let mut entries: Vec<(String, Tensor)> = self.store.variables().into_iter().collect();
        state_order::sort_entries(&mut entries);
        assert_eq!(entries.len(), self.rows.len(), "entries of the state");
        for ((name, tensor), (key, shape, kind, group)) in entries.iter().zip(&self.rows) {
            assert_eq!((name, &tensor.size()), (key, shape));
            assert_eq!(tensor.requires_grad(), kind == "p" && *group != Some(-1), "{name} is trained");
        }
    }

    /// The members of every group, and its learning rate and decay.
    fn check_groups(&self) {
        let config = self.preset.config(DataSource::SHAPES).optimizer;
        let base_lr = config.lr;
        let optimizer = AdamW::new(&self.store, config).expect("groups that fit");
        let wanted = self.meta["groups"].as_array().expect("a list");
        let groups: Vec<_> = optimizer.groups().collect();
        assert_eq!(groups.len(), wanted.len(), "groups");
        for (index, ((options, names), wanted)) in groups.into_iter().zip(wanted).enumerate() {
            let lr = wanted["lr"].as_f64().expect("a number");
            assert!((options.lr_scale * base_lr / lr - 1.).abs() < 1e-12, "learning rate of group {index}");
            assert_eq!(Some(options.weight_decay), wanted["weight_decay"].as_f64(), "decay of group {index}");
            let members = self.rows.iter().filter(|row| row.3 == Some(index as i64));
            let mut members: Vec<&String> = members.map(|row| &row.0).collect();
            members.sort();
            assert_eq!(names.iter().collect::<Vec<_>>(), members, "members of group {index}");
            assert_eq!(names.len() as u64, wanted["n_tensors"].as_u64().expect("a count"));
        }
    }

    /// Sums that do not depend on the order of the queries, and the best detections.
    fn check_outputs(&self) {
        let want = &self.meta["eval"];
        formula::fill(&self.store, want["fill_prefix"].as_str().expect("a prefix"));
        let image = formula::image(want["image_key"].as_str().expect("a key"), [1, 3, 640, 640]);
        let got = tch::no_grad(|| self.model.forward_eval(&image));
        for (what, tensor) in [("logits", &got.pred_logits), ("boxes", &got.pred_boxes)] {
            self.compare_sums(what, tensor, &want[what]);
        }
        self.check_detections(&got, &want["post"]);
    }

    fn compare_sums(&self, what: &str, tensor: &Tensor, want: &Value) {
        let tensor = tensor.to_kind(Kind::Double);
        let number = |key: &str| want[key].as_f64().expect("a number");
        assert_eq!(tensor.numel() as f64, number("n"));
        let sums = [("sum", tensor.shallow_clone()), ("abs_sum", tensor.abs()), ("sq_sum", tensor.square())];
        for (key, tensor) in sums {
            let error = (tensor.sum(Kind::Double).double_value(&[]) - number(key)).abs() / number("abs_sum");
            println!("{} {what} {key}: relative error {error:.1e}", self.preset.short);
            assert!(error < TOLERANCE, "{what} {key}: relative error {error:.1e}");
        }
    }

    fn check_detections(&self, predictions: &Predictions, want: &Value) {
        let [width, height] = [0, 1].map(|i| want["orig_size_wh"][i].as_f64().expect("a side") as u32);
        let remap_mscoco_category = self.preset.num_classes == 80;
        let how = PostProcessorConfig { remap_mscoco_category, ..PostProcessorConfig::default() };
        let found = PostProcessor::new(how).detect(predictions, &[(width, height)]).expect("detections");
        let scores: Vec<f64> = serde_json::from_value(want["top5_scores"].clone()).expect("scores");
        let boxes: Vec<[f64; 4]> = serde_json::from_value(want["top5_boxes"].clone()).expect("boxes");
        for (i, found) in found[0].iter().take(scores.len()).enumerate() {
            assert_eq!(Some(found.label), want["top5_labels"][i].as_i64(), "label {i}");
            let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0., f64::max);
            let score = apart(&[found.score], &[scores[i]]);
            let pixels = apart(&found.box_xyxy, &boxes[i]);
            println!("{} detection {i}: score off by {score:.1e}, box by {pixels:.1e}", self.preset.short);
            assert!(
                score < 1e-5 && pixels < 1e-2,
                "detection {i}: score off by {score:.1e}, box by {pixels:.1e}"
            );
        }
    }
}

macro_rules! presets {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            Built::new(stringify!($name)).check();
        }
    )*};
}

presets! {
    rtdetrv2_r18vd
    rtdetrv2_r34vd
    rtdetrv2_r50vd_m
    rtdetrv2_r50vd
    rtdetrv2_r101vd
    rtdetrv2_hgnetv2_l
    rtdetrv2_hgnetv2_x
    rtdetrv2_hgnetv2_h
    rtdetrv2_r18vd_sp1
    rtdetrv2_r18vd_sp2
    rtdetrv2_r18vd_sp3
    rtdetrv2_r18vd_dsp
    rtdetrv2_r34vd_dsp
    rtdetrv2_r50vd_m_dsp
    rtdetrv2_r50vd_dsp
    rtdetrv2_r18vd_voc
}
