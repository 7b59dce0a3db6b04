//! Inputs that do not belong together are errors that name what is wrong.

use tch::{Device, Kind, Tensor};
use trainer::loss::{Criterion, CriterionConfig, LossError};
use trainer::model::{DnMeta, Predictions, TrainOutputs};
use trainer::ops::Targets;

fn predictions(batch: i64, queries: i64, classes: i64) -> Predictions {
    Predictions {
        pred_logits: Tensor::zeros([batch, queries, classes], (Kind::Float, Device::Cpu)),
        pred_boxes: Tensor::full([batch, queries, 4], 0.5, (Kind::Float, Device::Cpu)),
    }
}

fn outputs(main: Predictions) -> TrainOutputs {
    TrainOutputs { main, aux: vec![], enc_aux: vec![], dn_aux: vec![], dn_meta: None }
}

fn one_object(label: i64) -> Targets {
    Targets::new(&[vec![label]], &[vec![[0.5, 0.5, 0.2, 0.2]]], Device::Cpu)
}

fn fault(outputs: &TrainOutputs, targets: &Targets) -> LossError {
    Criterion::new(CriterionConfig::default()).forward(outputs, targets).expect_err("must be refused")
}

#[test]
fn a_label_beyond_the_classes() {
    for label in [3, -1] {
        let found = fault(&outputs(predictions(1, 4, 3)), &one_object(label));
        assert_eq!(found, LossError::LabelOutOfRange { min: label, max: label, num_classes: 3 });
        assert!(found.to_string().contains("`num_classes`"), "{found}");
    }
}

#[test]
fn a_label_beyond_a_class_agnostic_selection_is_fine() {
    let mut outputs = outputs(predictions(1, 4, 3));
    outputs.enc_aux.push(predictions(1, 4, 1));
    let losses = Criterion::new(CriterionConfig::default()).forward(&outputs, &one_object(2));
    assert!(losses.expect("labels of the selection are all 0").values().is_finite());
}

#[test]
fn another_batch_size_than_the_targets() {
    let found = fault(&outputs(predictions(2, 4, 3)), &one_object(0));
    assert!(matches!(&found, LossError::Shape { tensor: "pred_logits", found, .. } if *found == [2, 4, 3]));
}

#[test]
fn boxes_of_other_queries_than_the_logits() {
    let mut main = predictions(1, 4, 3);
    main.pred_boxes = predictions(1, 5, 3).pred_boxes;
    let mut outputs = outputs(predictions(1, 4, 3));
    outputs.aux.push(main);
    let found = fault(&outputs, &one_object(0)).to_string();
    assert!(found.contains("pred_boxes") && found.contains("_aux_0"), "{found}");
}

#[test]
fn counts_that_do_not_sum_to_the_table() {
    let mut targets = one_object(0);
    targets.counts = vec![2];
    let found = fault(&outputs(predictions(1, 4, 3)), &targets);
    assert_eq!(found, LossError::TargetCount { labels: 1, boxes: 1, counted: 2 });
}

#[test]
fn denoising_sets_without_a_layout() {
    let mut outputs = outputs(predictions(1, 4, 3));
    outputs.dn_aux.push(predictions(1, 2, 3));
    assert_eq!(fault(&outputs, &one_object(0)), LossError::DnMetaMissing { sets: 1 });
}

#[test]
fn a_denoising_layout_for_other_objects() {
    let mut outputs = outputs(predictions(1, 4, 3));
    outputs.dn_aux.push(predictions(1, 2, 3));
    let layout = |positives| Some(DnMeta { positive_idx: vec![positives], num_groups: 1, split: [2, 4] });
    outputs.dn_meta = layout(vec![0, 1]);
    let found = fault(&outputs, &one_object(0));
    assert_eq!(found, LossError::DnPositives { image: 0, found: 2, expected: 1 });
    outputs.dn_meta = layout(vec![2]);
    let found = fault(&outputs, &one_object(0));
    assert_eq!(found, LossError::DnQueryOutOfRange { image: 0, query: 2, queries: 2 });
}

#[test]
fn a_divisor_that_is_no_positive_number() {
    let criterion = Criterion::new(CriterionConfig::default());
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let found = criterion.forward_normalized(&outputs(predictions(1, 4, 3)), &one_object(0), bad);
        assert!(matches!(found, Err(LossError::NumBoxes { .. })), "{bad}");
    }
}
