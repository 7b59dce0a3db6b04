//! Every loss term of the first step of every training case.

use tch::Kind;
use trainer::loss::{Criterion, CriterionConfig};
use trainer::model::{Predictions, TrainOutputs};

use crate::fixture::{Tiny, assert_relative, decode};

pub const VARIANTS: [&str; 18] = [
    "hgnet_frozen",
    "hgnet_lab",
    "hgnet_trainbn",
    "r18_4level",
    "r18_agnostic_label0",
    "r18_allempty",
    "r18_default",
    "r18_discrete",
    "r18_frozen",
    "r18_invalid_anchors",
    "r18_learnquery",
    "r18_manygt",
    "r18_nodn",
    "r18_one2many",
    "r18_oneempty",
    "r18_rect",
    "r18_rect_row_major",
    "r50_frozen_evalidx",
];

#[test]
fn every_term_of_every_training_case_equals_the_official_one() {
    let criterion = Criterion::new(CriterionConfig::default());
    for variant in VARIANTS {
        let Tiny { outputs, targets, meta } = Tiny::read(variant);
        let losses = criterion.forward(&outputs, &targets).expect(variant);
        let (found, step) = (losses.values(), &meta["steps"][0]);
        let expected = step["losses"].as_object().expect("terms by name");
        assert_eq!(found.terms.len(), expected.len(), "{variant}");
        for (name, value) in expected {
            let found = found.get(name).unwrap_or_else(|| panic!("{variant}: no {name}"));
            assert_relative(&format!("{variant} {name}"), found, decode(value), 1e-5);
        }
        assert_relative(variant, found.total, decode(&step["loss"]), 1e-5);
        assert_relative(variant, losses.total().double_value(&[]), decode(&step["loss"]), 1e-5);
    }
}

#[test]
fn fixture_folder_holds_no_other_case() {
    let folders = std::fs::read_dir(crate::fixture::path("tiny")).expect("fixtures exist");
    let cases = folders.filter(|entry| entry.as_ref().expect("readable").path().join("meta.json").exists());
    assert_eq!(cases.count(), VARIANTS.len());
}

/// Under mixed precision the outputs are half floats; the losses are not, and gradients return as half floats.
#[test]
fn half_float_outputs_give_float_losses() {
    let Tiny { outputs, targets, meta } = Tiny::read("r18_default");
    let half = |set: &Predictions| Predictions {
        pred_logits: set.pred_logits.to_kind(Kind::BFloat16).set_requires_grad(true),
        pred_boxes: set.pred_boxes.to_kind(Kind::BFloat16).set_requires_grad(true),
    };
    let all = |sets: &[Predictions]| sets.iter().map(half).collect();
    let (main, aux, enc_aux) = (half(&outputs.main), all(&outputs.aux), all(&outputs.enc_aux));
    let outputs = TrainOutputs { main, aux, enc_aux, dn_aux: all(&outputs.dn_aux), dn_meta: outputs.dn_meta };
    let total =
        Criterion::new(CriterionConfig::default()).forward(&outputs, &targets).expect("valid").total();
    assert_eq!(total.kind(), Kind::Float);
    assert_relative("total", total.double_value(&[]), decode(&meta["steps"][0]["loss"]), 0.01);
    total.backward();
    assert_eq!(outputs.main.pred_logits.grad().kind(), Kind::BFloat16);
}

/// Gradients reach every set, also where there is no object to answer for.
#[test]
fn backward_reaches_every_set() {
    for variant in ["r18_default", "r18_allempty", "r18_oneempty", "r18_nodn"] {
        let Tiny { outputs, targets, .. } = Tiny::read(variant);
        let outputs = with_grad(outputs);
        let losses = Criterion::new(CriterionConfig::default()).forward(&outputs, &targets).expect(variant);
        losses.total().backward();
        let sets = std::iter::once(&outputs.main).chain(&outputs.aux).chain(&outputs.enc_aux);
        for set in sets.chain(&outputs.dn_aux) {
            assert!(set.pred_logits.grad().abs().max().double_value(&[]) > 0.0, "{variant}");
            assert!(set.pred_boxes.grad().isfinite().all().int64_value(&[]) == 1, "{variant}");
        }
    }
}

fn with_grad(outputs: TrainOutputs) -> TrainOutputs {
    let sets = std::iter::once(&outputs.main).chain(&outputs.aux).chain(&outputs.enc_aux);
    for set in sets.chain(&outputs.dn_aux) {
        let _ = set.pred_logits.set_requires_grad(true);
        let _ = set.pred_boxes.set_requires_grad(true);
    }
    outputs
}

#[test]
fn num_boxes_divides_every_term() {
    let Tiny { outputs, targets, .. } = Tiny::read("r18_default");
    let criterion = Criterion::new(CriterionConfig::default());
    let own = criterion.forward(&outputs, &targets).expect("valid").values();
    let doubled = criterion
        .forward_normalized(&outputs, &targets, 2.0 * targets.total() as f64)
        .expect("valid")
        .values();
    for ((name, own), (_, doubled)) in own.terms.iter().zip(&doubled.terms) {
        assert_relative(name, *doubled, own / 2.0, 1e-6);
    }
}

#[test]
fn one_term_is_found_by_its_name() {
    let Tiny { outputs, targets, .. } = Tiny::read("r18_default");
    let losses = Criterion::new(CriterionConfig::default()).forward(&outputs, &targets).expect("valid");
    let term = losses.term("loss_giou_dn_2").expect("a term of the last layer");
    assert_relative("loss_giou_dn_2", term.double_value(&[]), 2.09523869, 1e-5);
    assert!(losses.term("loss_giou_dn_3").is_none());
    assert!(losses.values().is_finite());
}
