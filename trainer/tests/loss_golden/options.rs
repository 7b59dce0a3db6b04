//! The criterion's options.

use serde_json::Value;
use trainer::loss::{BoxesWeight, ClassLoss, Criterion, CriterionConfig, LossWeights};

use crate::fixture::{Tiny, assert_relative, decode, json};

fn check(option: &str, config: CriterionConfig) {
    let expected: Value = json("tiny/criterion_options.json");
    let expected = expected["options"][option]["losses"].as_object().expect("terms by name");
    let Tiny { outputs, targets, .. } = Tiny::read("r18_default");
    let found = Criterion::new(config).forward(&outputs, &targets).expect(option).values();
    assert_eq!(found.terms.len(), expected.len());
    for (name, value) in expected {
        let found = found.get(name).unwrap_or_else(|| panic!("no {name}"));
        assert_relative(name, found, decode(value), 1e-5);
    }
}

#[test]
fn boxes_weighted_by_iou() {
    let config = CriterionConfig { boxes_weight_format: BoxesWeight::Iou, ..CriterionConfig::default() };
    check("iou_weighted", config);
}

#[test]
fn boxes_weighted_by_giou() {
    let config = CriterionConfig { boxes_weight_format: BoxesWeight::Giou, ..CriterionConfig::default() };
    check("giou_weighted", config);
}

#[test]
fn layers_that_share_the_matching() {
    check("shared_match", CriterionConfig { share_matched_indices: true, ..CriterionConfig::default() });
}

#[test]
fn focal_class_loss() {
    let weights = LossWeights { loss_focal: 2.0, ..LossWeights::default() };
    let config =
        CriterionConfig { class_loss: ClassLoss::Focal, alpha: 0.25, weights, ..CriterionConfig::default() };
    check("focal_with_float_target", config);
}

#[test]
fn a_config_names_an_unknown_key() {
    let error = serde_json::from_str::<CriterionConfig>(r#"{"alhpa": 0.5}"#).expect_err("a typing mistake");
    assert!(error.to_string().contains("alhpa"), "{error}");
}
