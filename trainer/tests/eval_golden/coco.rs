//! The COCO numbers.

use std::path::{Path, PathBuf};

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

fn fixture_path(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "fixtures", "coco_eval", name].iter().collect()
}

fn from_files() -> CocoEvaluator {
    let mut evaluator = CocoEvaluator::read(&fixture_path("gt.json")).expect("a ground truth");
    evaluator.add_results(&fixture_path("dets.json")).expect("results");
    evaluator
}

#[test]
fn files_give_the_numbers_of_pycocotools() {
    let expected = json("coco_eval/expected.json");
    assert_stats(&from_files(), &expected["stats"], &expected["stats_names"]);
}

#[test]
fn files_that_are_written_and_read_again_give_the_same_numbers() {
    let folder = tempfile::tempdir().expect("a folder");
    let (truth, results) = (folder.path().join("truth.json"), folder.path().join("results.json"));
    let first = from_files();
    std::fs::write(&truth, serde_json::to_vec(&first.ground_truth()).expect("JSON")).expect("a file");
    let records: Vec<_> = first.results().collect();
    std::fs::write(&results, serde_json::to_vec(&records).expect("JSON")).expect("a file");
    let mut second = CocoEvaluator::read(&truth).expect("a ground truth");
    second.add_results(&results).expect("results");
    let of = |evaluator: &CocoEvaluator| evaluator.finish_with_curves().expect("an evaluation");
    assert_eq!(of(&first), of(&second));
    assert!(first.ground_truth().annotations.iter().all(|object| object.id > 0), "pycocotools loses id 0");
}

/// The area under each curve is the AP50 that pycocotools finds.
#[test]
fn the_curves_agree_with_pycocotools() {
    let expected = &json("coco_eval/expected.json")["per_class"];
    let (stats, curves) = from_files().finish_with_curves().expect("an evaluation");
    let with_objects: Vec<_> = stats.per_class.iter().filter(|class| class.ap50 >= 0.0).collect();
    assert_eq!(curves.classes.len(), with_objects.len());
    for (curve, class) in curves.classes.iter().zip(&with_objects) {
        assert_eq!(curve.name, class.name);
        let ap50: f64 = decode(&expected[class.id.to_string()]["AP50"]);
        assert!((curve.ap50() - ap50).abs() < 1e-12, "{}: {} for {ap50}", curve.name, curve.ap50());
        assert!(curve.precision.is_sorted_by(|a, b| a >= b) && curve.scores.is_sorted_by(|a, b| a >= b));
    }
    let mean = curves.mean();
    assert!((mean.iter().sum::<f64>() / mean.len() as f64 - stats.ap50).abs() < 1e-12);
}

#[test]
fn confusion_counts_every_object_and_every_sure_detection_once() {
    let object = |label, left: f64| GroundTruthObject {
        label,
        box_xyxy: [left, 0.0, left + 20.0, 20.0],
        area: None,
        iscrowd: false,
    };
    let found =
        |label, score, left: f64| Detection { label, score, box_xyxy: [left, 0.0, left + 20.0, 20.0] };
    let crowd = GroundTruthObject { iscrowd: true, ..object(1, 300.0) };
    let images = vec![
        GroundTruthImage {
            image_id: 1,
            size_wh: (400, 20),
            objects: vec![object(3, 0.0), object(3, 50.0), object(5, 100.0), crowd],
        },
        GroundTruthImage { image_id: 2, size_wh: (400, 20), objects: vec![object(5, 0.0)] },
    ];
    let category = |id, name: &str| Category { id, name: name.into() };
    let mut evaluator =
        CocoEvaluator::new(vec![category(3, "cat"), category(1, "ant"), category(5, "dog")], images)
            .expect("a valid ground truth");
    // Right, wrong class, of nothing, too unsure; the second image: a worse one of two for one object.
    let first = [found(3, 0.9, 1.0), found(5, 0.8, 52.0), found(3, 0.7, 200.0), found(5, 0.4, 100.0)];
    evaluator.add(1, &first).expect("a known image");
    evaluator.add(2, &[found(5, 0.6, 1.0), found(3, 0.9, 2.0)]).expect("a known image");
    let matrix = evaluator.confusion(0.5, 0.5).expect("a matrix");
    assert_eq!(matrix.classes, ["ant", "cat", "dog"]);
    assert_eq!(matrix.counts, [[0, 0, 0, 0], [0, 1, 1, 0], [0, 1, 0, 1], [0, 1, 1, 0]]);
    assert_eq!((matrix.correct(), matrix.confused(), matrix.missed(), matrix.spurious()), (1, 2, 1, 2));
    let sure = evaluator.confusion(0.5, 0.85).expect("a matrix");
    assert_eq!((sure.correct(), sure.missed(), sure.spurious()), (1, 2, 0));
}

#[test]
fn files_that_are_not_coco_are_refused_with_their_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("truth.json");
    let fault = |text: &str| {
        std::fs::write(&path, text).expect("a file");
        CocoEvaluator::read(&path).expect_err("a broken file").to_string()
    };
    let has = |message: String, parts: &[&str]| {
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    };
    has(fault("{"), &["truth.json", "not a COCO ground-truth file", "line 1"]);
    has(fault(r#"{"images": [], "annotations": []}"#), &["missing field `categories`"]);
    let lists = |annotation: &str| {
        format!(
            r#"{{"images": [{{"id": 1}}], "categories": [{{"id": 2, "name": "cat"}}], "annotations": [{annotation}]}}"#
        )
    };
    let foreign = lists(r#"{"id": 9, "image_id": 7, "category_id": 2, "bbox": [0, 0, 1, 1]}"#);
    has(fault(&foreign), &["annotation 9", "image 7", "does not list"]);
    let unknown = lists(r#"{"id": 9, "image_id": 1, "category_id": 4, "bbox": [0, 0, 1, 1]}"#);
    has(fault(&unknown), &["label 4", "none of the 1 categories"]);
    let short = lists(r#"{"id": 9, "image_id": 1, "category_id": 2, "bbox": [0, 0, 1]}"#);
    has(fault(&short), &["truth.json", "invalid length 3"]);
    has(CocoEvaluator::read(Path::new("none.json")).expect_err("no file").to_string(), &["none.json"]);

    std::fs::write(
        &path,
        lists(r#"{"image_id": 1, "category_id": 2, "bbox": [0, 0, 9, 9], "iscrowd": true}"#),
    )
    .expect("a file");
    let mut evaluator = CocoEvaluator::read(&path).expect("`true` is 1");
    assert!(evaluator.images().all(|image| image.objects[0].iscrowd));
    let results = folder.path().join("results.json");
    std::fs::write(&results, r#"[{"image_id": 5, "category_id": 2, "bbox": [0, 0, 1, 1], "score": 1}]"#)
        .expect("a file");
    has(evaluator.add_results(&results).expect_err("an unknown image").to_string(), &["image 5"]);
    std::fs::write(&results, r#"[{"image_id": 1, "category_id": 2, "bbox": [0, 0, 1, 1]}]"#).expect("a file");
    has(
        evaluator.add_results(&results).expect_err("no score").to_string(),
        &["results.json", "`score`", "line 1"],
    );
}
