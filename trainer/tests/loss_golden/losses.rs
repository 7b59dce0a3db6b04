//! One prediction set with a given matching: values and gradients of each term.

use serde_json::Value;
use tch::{Device, Tensor};
use trainer::loss::{ClassLoss, Criterion, CriterionConfig, LossWeights, Losses};
use trainer::model::{DnMeta, Predictions, TrainOutputs};
use trainer::ops::Targets;

use crate::fixture::{Tensors, assert_close, assert_relative, decode, json, targets};

struct Case {
    logits: Tensor,
    boxes: Tensor,
    targets: Targets,
    /// Per image: the query of each object, in the order of the objects.
    positive_idx: Vec<Vec<i64>>,
    values: Value,
    file: Tensors,
}

impl Case {
    fn read() -> Self {
        let case = json("components/components.json")["loss_alone"].take();
        let indices: Vec<[Vec<i64>; 2]> = decode(&case["indices"]);
        let file = Tensors::read("components/losses.safetensors");
        Self {
            logits: file.get("logits").set_requires_grad(true),
            boxes: file.get("boxes").set_requires_grad(true),
            targets: targets(&case["targets"]),
            positive_idx: indices.iter().map(by_object).collect(),
            values: case["values"].clone(),
            file,
        }
    }

    /// The case as denoising queries, because their matching is given from outside.
    fn losses(&self, class_loss: ClassLoss) -> Losses {
        let set = || Predictions {
            pred_logits: self.logits.shallow_clone(),
            pred_boxes: self.boxes.shallow_clone(),
        };
        let meta = DnMeta { positive_idx: self.positive_idx.clone(), num_groups: 1, split: [8, 8] };
        let outputs = TrainOutputs {
            main: set(),
            aux: vec![],
            enc_aux: vec![],
            dn_aux: vec![set()],
            dn_meta: Some(meta),
        };
        let weights = LossWeights { loss_vfl: 1.0, loss_focal: 1.0, loss_bbox: 1.0, loss_giou: 1.0 };
        let config = CriterionConfig { class_loss, weights, ..CriterionConfig::default() };
        Criterion::new(config).forward(&outputs, &self.targets).expect("a valid case")
    }

    fn check(&self, losses: &Losses, name: &str, input: &Tensor, grad: &str) {
        let term = losses.term(&format!("{name}_dn_0")).expect(name);
        assert_relative(name, term.double_value(&[]), decode(&self.values[name]), 1e-6);
        let found = Tensor::run_backward(&[&term], &[input], true, false);
        assert_close(&found[0], &self.file.get(&format!("{name}.{grad}")), 1e-6);
    }
}

fn by_object([queries, objects]: &[Vec<i64>; 2]) -> Vec<i64> {
    let mut pairs: Vec<(i64, i64)> = objects.iter().copied().zip(queries.iter().copied()).collect();
    pairs.sort_unstable();
    pairs.into_iter().map(|(_, query)| query).collect()
}

#[test]
fn varifocal_value_and_gradient() {
    let case = Case::read();
    case.check(&case.losses(ClassLoss::Vfl), "loss_vfl", &case.logits, "grad_logits");
}

#[test]
fn focal_value_and_gradient() {
    let case = Case::read();
    case.check(&case.losses(ClassLoss::Focal), "loss_focal", &case.logits, "grad_logits");
}

#[test]
fn box_values_and_gradients() {
    let case = Case::read();
    let losses = case.losses(ClassLoss::Vfl);
    case.check(&losses, "loss_bbox", &case.boxes, "grad_boxes");
    case.check(&losses, "loss_giou", &case.boxes, "grad_boxes");
}

/// The target score is a number: no gradient of the class loss reaches the boxes.
#[test]
fn class_loss_leaves_the_boxes_alone() {
    let case = Case::read();
    let losses = case.losses(ClassLoss::Vfl);
    losses.term("loss_vfl_dn_0").expect("a class term").backward();
    let touched = case.boxes.grad();
    assert!(!touched.defined() || touched.abs().max().double_value(&[]) == 0.0);
}

#[test]
fn without_objects_only_the_class_term_remains() {
    let case = Case::read();
    let empty = Targets::new(&[vec![], vec![]], &[vec![], vec![]], Device::Cpu);
    let main =
        Predictions { pred_logits: case.logits.shallow_clone(), pred_boxes: case.boxes.shallow_clone() };
    let outputs = TrainOutputs { main, aux: vec![], enc_aux: vec![], dn_aux: vec![], dn_meta: None };
    let losses = Criterion::new(CriterionConfig::default()).forward(&outputs, &empty).expect("valid");
    let values = losses.values();
    assert!(values.get("loss_vfl").expect("a class term") > 0.0);
    assert_eq!((values.get("loss_bbox"), values.get("loss_giou")), (Some(0.0), Some(0.0)));
    losses.total().backward();
    assert_eq!(case.boxes.grad().abs().max().double_value(&[]), 0.0);
}
