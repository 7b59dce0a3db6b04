//! The COCO numbers.

use serde_json::Value;
use trainer::eval::{Category, CocoEvaluator, Detection, EvalError, GroundTruthImage, GroundTruthObject};

use crate::fixture::{decode, json};

fn evaluator(gt: &Value) -> CocoEvaluator {
    let categories = list(&gt["categories"])
        .iter()
        .map(|category| Category { id: decode(&category["id"]), name: decode(&category["name"]) });
    let images = list(&gt["images"]).iter().map(|image| GroundTruthImage {
        image_id: decode(&image["id"]),
        size_wh: (decode(&image["width"]), decode(&image["height"])),
        objects: list(&gt["annotations"])
            .iter()
            .filter(|a| a["image_id"] == image["id"])
            .map(object)
            .collect(),
    });
    CocoEvaluator::new(categories.collect(), images.collect()).expect("a valid ground truth")
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

fn object(annotation: &Value) -> GroundTruthObject {
    GroundTruthObject {
        label: decode(&annotation["category_id"]),
        box_xyxy: xyxy(&annotation["bbox"]),
        area: Some(decode(&annotation["area"])),
        iscrowd: annotation["iscrowd"] == 1,
    }
}

fn xyxy(bbox: &Value) -> [f64; 4] {
    let [x, y, w, h]: [f64; 4] = decode(bbox);
    [x, y, x + w, y + h]
}

fn add(evaluator: &mut CocoEvaluator, detections: &[&Value]) {
    let mut ids: Vec<u64> = detections.iter().map(|d| decode(&d["image_id"])).collect();
    ids.sort_unstable();
    ids.dedup();
    for id in ids {
        let own = detections.iter().filter(|d| d["image_id"] == id).map(|d| Detection {
            label: decode(&d["category_id"]),
            score: decode(&d["score"]),
            box_xyxy: xyxy(&d["bbox"]),
        });
        evaluator.add(id, &own.collect::<Vec<_>>()).expect("a valid image");
    }
}

fn assert_stats(evaluator: &CocoEvaluator, expected: &Value, names: &Value) {
    let found = evaluator.finish().expect("an evaluation").named();
    for ((name, found), (expected, key)) in found.iter().zip(list(expected).iter().zip(list(names))) {
        assert_eq!(key.as_str(), Some(*name));
        assert!((found - decode::<f64>(expected)).abs() < 1e-12, "{name}: {found} instead of {expected}");
    }
}

#[test]
fn the_twelve_numbers_equal_pycocotools() {
    let (expected, detections) = (json("coco_eval/expected.json"), json("coco_eval/dets.json"));
    let mut evaluator = evaluator(&json("coco_eval/gt.json"));
    add(&mut evaluator, &list(&detections).iter().collect::<Vec<_>>());
    assert_stats(&evaluator, &expected["stats"], &expected["stats_names"]);
    evaluator.reset();
    add(&mut evaluator, &list(&detections).iter().step_by(2).collect::<Vec<_>>());
    assert_stats(&evaluator, &expected["half_dets_stats"], &expected["stats_names"]);
}

#[test]
fn the_numbers_of_each_class_equal_pycocotools() {
    let (expected, detections) = (json("coco_eval/expected.json"), json("coco_eval/dets.json"));
    let mut evaluator = evaluator(&json("coco_eval/gt.json"));
    add(&mut evaluator, &list(&detections).iter().collect::<Vec<_>>());
    let found = evaluator.finish().expect("an evaluation").per_class;
    assert_eq!(found.iter().map(|c| c.id).collect::<Vec<_>>(), decode::<Vec<i64>>(&expected["cat_ids"]));
    for class in found {
        let expected = &expected["per_class"][class.id.to_string()];
        assert_eq!(class.objects as u64, expected["n_gt"].as_u64().expect("a count"), "{}", class.name);
        let numbers = [("AP", class.ap), ("AP50", class.ap50), ("AP75", class.ap75), ("AR100", class.ar100)];
        for (name, found) in numbers {
            let expected: f64 = decode(&expected[name]);
            assert!((found - expected).abs() < 1e-12, "{} {name}: {found} for {expected}", class.name);
        }
    }
}

fn one_image() -> CocoEvaluator {
    let object =
        GroundTruthObject { label: 0, box_xyxy: [10.0, 10.0, 60.0, 60.0], area: None, iscrowd: false };
    let image = GroundTruthImage { image_id: 7, size_wh: (100, 100), objects: vec![object] };
    CocoEvaluator::new(CocoEvaluator::categories(&["cell".into(), "dust".into()]), vec![image])
        .expect("a valid ground truth")
}

fn detection(label: i64, score: f64) -> Detection {
    Detection { label, score, box_xyxy: [10.0, 10.0, 60.0, 60.0] }
}

#[test]
fn a_perfect_detection_scores_one_and_a_missing_class_is_marked() {
    let mut evaluator = one_image();
    evaluator.add(7, &[detection(0, 0.9)]).expect("a known image");
    let stats = evaluator.finish().expect("an evaluation");
    for found in [stats.ap, stats.ap50, stats.ap_medium, stats.per_class[0].ap] {
        assert!((found - 1.0).abs() < 1e-12, "{found} instead of 1");
    }
    assert_eq!((stats.ap_small, stats.per_class[1].ap), (-1.0, -1.0));
}

#[test]
fn an_image_without_detections_counts_as_missed() {
    assert_eq!(one_image().finish().expect("an evaluation").ap, 0.0);
}

#[test]
fn a_second_call_replaces_the_first() {
    let mut evaluator = one_image();
    evaluator.add(7, &[detection(0, 0.9)]).expect("a known image");
    evaluator.add(7, &[]).expect("a known image");
    assert_eq!(evaluator.finish().expect("an evaluation").ap, 0.0);
}

#[test]
fn unknown_images_labels_and_values_are_refused() {
    let mut evaluator = one_image();
    assert!(matches!(evaluator.add(8, &[]), Err(EvalError::UnknownImage { image_id: 8, known: 1 })));
    let found = evaluator.add(7, &[detection(2, 0.5)]);
    assert!(matches!(found, Err(EvalError::UnknownLabel { image_id: 7, label: 2, known: 2, .. })));
    let found = evaluator.add(7, &[detection(0, f64::NAN)]);
    assert!(matches!(found, Err(EvalError::NotFinite { image_id: 7, origin: "detection" })));
}

#[test]
fn a_faulty_ground_truth_is_refused() {
    let image = |label| GroundTruthImage {
        image_id: 1,
        size_wh: (10, 10),
        objects: vec![GroundTruthObject {
            label,
            box_xyxy: [0.0, 0.0, 1.0, 1.0],
            area: None,
            iscrowd: false,
        }],
    };
    let names = || CocoEvaluator::categories(&["cell".into()]);
    let twice = CocoEvaluator::new(names(), vec![image(0), image(0)]);
    assert!(matches!(twice, Err(EvalError::DuplicateImage { image_id: 1 })));
    let unknown = CocoEvaluator::new(names(), vec![image(1)]);
    assert!(matches!(unknown, Err(EvalError::UnknownLabel { label: 1, origin: "ground truth", .. })));
    let doubled = CocoEvaluator::new([names(), names()].concat(), vec![]);
    assert!(matches!(doubled, Err(EvalError::DuplicateCategory { id: 0 })));
}
