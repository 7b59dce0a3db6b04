//! Detections from logits and boxes.

use serde_json::Value;
use tch::{Kind, Tensor};
use trainer::eval::mscoco::CATEGORY_IDS;
use trainer::eval::{Detection, EvalError, PostProcessor, PostProcessorConfig};
use trainer::model::Predictions;

use crate::fixture::{Tensors, json};

fn sizes(file: &Tensors) -> Vec<(u32, u32)> {
    let flat: Vec<i64> = file.get("orig_sizes_wh").flatten(0, -1).try_into().expect("a list");
    flat.chunks(2).map(|wh| (wh[0] as u32, wh[1] as u32)).collect()
}

fn predictions(file: &Tensors) -> Predictions {
    Predictions { pred_logits: file.get("logits"), pred_boxes: file.get("boxes") }
}

fn check(tag: &str, config: PostProcessorConfig) {
    let file = Tensors::read("components/postprocess.safetensors");
    let found = PostProcessor::new(config).detect(&predictions(&file), &sizes(&file)).expect("valid input");
    assert_eq!(found.len(), 2);
    for (image, found) in found.iter().enumerate() {
        let field = |name: &str| file.get(&format!("{tag}.{image}.{name}"));
        let labels: Vec<i64> = field("labels").try_into().expect("a list");
        assert_eq!(found.iter().map(|d| d.label).collect::<Vec<_>>(), labels, "{tag} {image}");
        for (row, found) in found.iter().enumerate() {
            let row = row as i64;
            assert!((found.score - field("scores").double_value(&[row])).abs() < 1e-6, "{tag} {image} {row}");
            for (side, found) in (0..).zip(found.box_xyxy) {
                let expected = field("boxes").double_value(&[row, side]);
                assert!((found - expected).abs() < 1e-3, "{tag} {image} {row}: {found} for {expected}");
            }
        }
    }
}

#[test]
fn sigmoid_scores_equal_the_official_ones() {
    check("focal", PostProcessorConfig { num_top_queries: 50, ..PostProcessorConfig::default() });
}

#[test]
fn remapped_labels_equal_the_official_ones() {
    let config =
        PostProcessorConfig { num_top_queries: 20, remap_mscoco_category: true, ..Default::default() };
    check("remap", config);
}

#[test]
fn softmax_scores_equal_the_official_ones() {
    let config = PostProcessorConfig { num_top_queries: 25, use_focal_loss: false, ..Default::default() };
    check("softmax", config);
}

#[test]
fn category_table_equals_the_official_one() {
    let components: Value = json("components/components.json");
    let table = components["mscoco_category2label"].as_object().expect("a table");
    assert_eq!(table.len(), CATEGORY_IDS.len());
    for (id, label) in table {
        let label = label.as_u64().expect("a class index") as usize;
        assert_eq!(CATEGORY_IDS[label].to_string(), *id);
    }
}

/// A query answers for several classes; the candidates are pairs, and there may be fewer than asked for.
#[test]
fn one_query_may_report_every_class() {
    let predictions = Predictions {
        pred_logits: Tensor::from_slice(&[2.0f32, 1.0, 0.0]).view([1, 1, 3]),
        pred_boxes: Tensor::from_slice(&[0.5f32, 0.5, 0.5, 0.5]).view([1, 1, 4]),
    };
    let found = PostProcessor::default().detect(&predictions, &[(200, 100)]).expect("valid input");
    assert_eq!(found[0].iter().map(|d| d.label).collect::<Vec<_>>(), [0, 1, 2]);
    assert!(found[0].iter().all(|d| d.box_xyxy == [50.0, 25.0, 150.0, 75.0]));
}

#[test]
fn softmax_reports_every_query_when_there_are_few() {
    let predictions = Predictions {
        pred_logits: Tensor::from_slice(&[0.0f32, 3.0, 0.0, 5.0, 0.0, 0.0]).view([1, 2, 3]),
        pred_boxes: Tensor::full([1, 2, 4], 0.5, (Kind::Float, tch::Device::Cpu)),
    };
    let config = PostProcessorConfig { use_focal_loss: false, ..Default::default() };
    let found = PostProcessor::new(config).detect(&predictions, &[(10, 10)]).expect("valid input");
    assert_eq!(found[0].iter().map(|d: &Detection| d.label).collect::<Vec<_>>(), [1, 0]);
}

#[test]
fn detections_hold_no_graph_and_leave_grad_mode_on() {
    let logits = Tensor::zeros([1, 2, 3], (Kind::Float, tch::Device::Cpu)).set_requires_grad(true);
    let predictions = Predictions {
        pred_logits: &logits * 2.0,
        pred_boxes: Tensor::full([1, 2, 4], 0.5, (Kind::Float, tch::Device::Cpu)),
    };
    PostProcessor::default().detect(&predictions, &[(10, 10)]).expect("valid input");
    assert!((&logits * 2.0).requires_grad());
}

#[test]
fn sizes_of_another_batch_are_refused() {
    let file = Tensors::read("components/postprocess.safetensors");
    let found = PostProcessor::default().detect(&predictions(&file), &[(10, 10)]);
    assert!(matches!(found, Err(EvalError::Shape { tensor: "pred_logits", .. })));
}

#[test]
fn a_background_column_alone_is_refused() {
    let predictions = Predictions {
        pred_logits: Tensor::zeros([1, 2, 1], (Kind::Float, tch::Device::Cpu)),
        pred_boxes: Tensor::full([1, 2, 4], 0.5, (Kind::Float, tch::Device::Cpu)),
    };
    let config = PostProcessorConfig { use_focal_loss: false, ..Default::default() };
    let found = PostProcessor::new(config).detect(&predictions, &[(10, 10)]);
    assert!(matches!(found, Err(EvalError::Shape { tensor: "pred_logits", .. })));
}

#[test]
fn more_classes_than_the_remap_table_are_refused() {
    let predictions = Predictions {
        pred_logits: Tensor::zeros([1, 2, 81], (Kind::Float, tch::Device::Cpu)),
        pred_boxes: Tensor::full([1, 2, 4], 0.5, (Kind::Float, tch::Device::Cpu)),
    };
    let config = PostProcessorConfig { remap_mscoco_category: true, ..Default::default() };
    let found = PostProcessor::new(config).detect(&predictions, &[(10, 10)]);
    assert!(matches!(found, Err(EvalError::TooManyClassesToRemap { classes: 81, known: 80 })));
}
