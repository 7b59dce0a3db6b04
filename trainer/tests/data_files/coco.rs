//! What the COCO reader takes.

use serde_json::{Value, json};
use trainer::data::{Annotations, Coco, Dataset, FileSet, Repair, TruthObject};
use trainer::eval::{CocoEvaluator, Detection, GroundTruthImage, GroundTruthObject};

use super::folder::{Folder, HEIGHT, WIDTH, assert_says, coco_json, png};

#[test]
fn reads_images_in_the_order_of_their_ids() {
    let folder = Folder::coco();
    let set = folder.open("train").unwrap();
    let ids: Vec<i64> = (0..set.len()).map(|index| set.annotations(index).unwrap().image_id).collect();
    assert_eq!(ids, [10, 20, 30]);
    assert_eq!((set.index_of(30), set.index_of(11)), (Some(2), None));
    assert!(set.image_path(2).ends_with("train/b.png"));
    assert_eq!(set.sample(2).unwrap().image_id, 30);
    assert_eq!(set.annotations(2).unwrap().size, [WIDTH, HEIGHT]);
}

#[test]
fn closes_the_gaps_of_category_ids_and_keeps_the_ids() {
    let folder = Folder::coco();
    let set = folder.open("train").unwrap();
    assert_eq!(set.class_names(), ["cat", "dog"]);
    assert_eq!(set.annotations(2).unwrap().labels, [0, 1]);
    assert_eq!([set.category_id(0), set.category_id(1)], [3, 7]);
}

#[test]
fn gives_boxes_as_corners_and_keeps_empty_images() {
    let folder = Folder::coco();
    let set = folder.open("train").unwrap();
    assert_eq!(set.annotations(2).unwrap().boxes_xyxy, [[0.0, 0.0, 32.0, 24.0], [32.0, 0.0, 64.0, 48.0]]);
    assert!(set.sample(1).unwrap().labels.is_empty());
}

#[test]
fn crowds_count_in_the_evaluation_and_nowhere_else() {
    let folder = Folder::coco();
    let set = folder.open("train").unwrap();
    assert_eq!((set.annotations(0).unwrap().labels, set.sample(0).unwrap().labels), (vec![1], vec![1]));
    let truth = set.truth(0).unwrap();
    assert_eq!(truth.iter().map(|object| object.crowd).collect::<Vec<_>>(), [false, true]);
    assert_eq!(truth[1].box_xyxy, [1.0, 1.0, 31.0, 31.0]);
    assert_says(&set.describe(), &["3 images, 3 objects, 2 classes (cat, dog), 1 crowds"]);
}

#[test]
fn the_evaluation_takes_boxes_and_areas_as_written() {
    let folder = Folder::coco();
    let mut json = coco_json();
    json["annotations"][0]["bbox"] = json!([-4.25, 0.1, 40.0, 24.0]);
    folder.write_json("train", &json);
    let set = folder.open("train").unwrap();
    assert_eq!(set.annotations(2).unwrap().boxes_xyxy[0], [0.0, 0.1, 35.75, 24.1]);
    let truth = set.truth(2).unwrap();
    assert_eq!(truth[0].box_xyxy, [-4.25, 0.1, 35.75, 24.1]);
    assert_eq!((truth[0].area, truth[1].area), (Some(700.5), None));
    assert_eq!(set.repairs().times(Repair::Clipped), 1);
}

/// The ground truth that pycocotools was given, read from a data set and evaluated.
#[test]
fn crowds_areas_and_category_ids_reach_the_evaluation() {
    let fixture = |name: &str| -> Value {
        let path = format!("{}/tests/fixtures/coco_eval/{name}", env!("CARGO_MANIFEST_DIR"));
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    };
    let mut gt = fixture("gt.json");
    let folder = Folder::new();
    for image in gt["images"].as_array_mut().unwrap() {
        let name = format!("{}.png", image["id"]);
        // The numbers need no pixels.
        folder.write(&format!("train/{name}"), "");
        image["file_name"] = json!(name);
    }
    folder.write_json("train", &gt);
    let set = folder.open("train").unwrap();
    assert!((0..set.len()).any(|index| set.truth(index).unwrap().iter().any(|object| object.crowd)));
    let images = (0..set.len()).map(|index| truth_image(&set, index)).collect();
    let mut evaluator = CocoEvaluator::new(CocoEvaluator::categories(set.class_names()), images).unwrap();
    let detections = fixture("dets.json");
    for index in 0..set.len() {
        let id = set.annotations(index).unwrap().image_id;
        let own = detections.as_array().unwrap().iter().filter(|detection| detection["image_id"] == id);
        evaluator.add(id as u64, &own.map(|found| detection(&set, found)).collect::<Vec<_>>()).unwrap();
    }
    let expected = fixture("expected.json");
    let stats = evaluator.finish().unwrap().named();
    assert_eq!(stats.len(), expected["stats"].as_array().unwrap().len());
    for ((name, found), expected) in stats.iter().zip(expected["stats"].as_array().unwrap()) {
        assert!((found - expected.as_f64().unwrap()).abs() < 1e-12, "{name}: {found} instead of {expected}");
    }
}

fn truth_image(set: &FileSet, index: usize) -> GroundTruthImage {
    let Annotations { image_id, size, .. } = set.annotations(index).unwrap();
    let object = |object: TruthObject| GroundTruthObject {
        label: object.label,
        box_xyxy: object.box_xyxy,
        area: object.area,
        iscrowd: object.crowd,
    };
    let objects = set.truth(index).unwrap().into_iter().map(object).collect();
    GroundTruthImage { image_id: image_id as u64, size_wh: size.into(), objects }
}

fn detection(set: &FileSet, found: &Value) -> Detection {
    let category = found["category_id"].as_i64().unwrap();
    let label =
        (0..set.class_names().len() as i64).find(|&label| set.category_id(label) == category).unwrap();
    let [x, y, width, height] = [0, 1, 2, 3].map(|i| found["bbox"][i].as_f64().unwrap());
    Detection { label, score: found["score"].as_f64().unwrap(), box_xyxy: [x, y, x + width, y + height] }
}

#[test]
fn finds_the_layouts_of_the_common_exporters() {
    let json = || serde_json::to_vec(&coco_json()).unwrap();
    let layouts = [
        ("annotations/instances_train2017.json", "train2017"),
        ("annotations/instances_train2017.json", "images/train2017"),
        ("train/_annotations.coco.json", "train"),
        ("annotations/train.json", "images/train"),
        ("annotations/train.json", "images"),
        ("train.json", "images"),
        ("train_annotations.json", "."),
        ("project-training.json", "images/train"),
    ];
    for (file, images) in layouts {
        let folder = Folder::new();
        folder.write(file, json());
        for name in ["a", "b", "c"] {
            folder.write(&format!("{images}/{name}.png"), png(WIDTH, HEIGHT, 0));
        }
        // Other tasks on the same images are none of ours.
        folder.write("annotations/captions_train2017.json", "{}");
        folder.write("values.json", "{}");
        folder.write("latest-trained.json", "{}");
        let layout = folder.layout().unwrap_or_else(|error| panic!("{file}: {error}"));
        assert_eq!(layout.splits(), ["train"], "{file}");
        assert_eq!(layout.open("train", None).unwrap().len(), 3, "{file} with {images}");
    }
}

#[test]
fn a_folder_in_the_file_name_belongs_to_the_path() {
    let folder = Folder::coco();
    folder.write("images/part/b.png", png(WIDTH, HEIGHT, 0));
    folder.write("images/a.png", png(WIDTH, HEIGHT, 0));
    folder.write("images/c.png", png(WIDTH, HEIGHT, 0));
    folder.remove("train");
    let mut json = coco_json();
    for name in ["part/b.png", "part\\b.png"] {
        json["images"][0]["file_name"] = json!(name);
        folder.write_json("train", &json);
        assert!(folder.open("train").unwrap().image_path(2).ends_with("images/part/b.png"));
    }
}

#[test]
fn a_second_split_follows_the_classes_of_the_first() {
    let folder = Folder::coco();
    let mut json = coco_json();
    json["categories"] =
        json!([{"id": 3, "name": "dog"}, {"id": 7, "name": "bird"}, {"id": 9, "name": "cat"}]);
    json["annotations"] = json!([{"id": 1, "image_id": 10, "category_id": 9, "bbox": [1, 2, 3, 4]}]);
    folder.write_json("val", &json);
    let classes = ["cat", "dog", "fish"].map(String::from);
    let val = folder.layout().unwrap().open("val", Some(&classes)).unwrap();
    assert_eq!((val.class_names(), val.annotations(0).unwrap().labels), (classes.as_slice(), vec![0]));
    // A class that the file lacks gets a number that the file does not use.
    assert_eq!([0, 1, 2].map(|label| val.category_id(label)), [9, 3, 12]);
    json["annotations"][0]["category_id"] = json!(7);
    folder.write_json("val", &json);
    let fault = folder.layout().unwrap().open("val", Some(&classes)).unwrap_err().to_string();
    assert_says(&fault, &["annotations[0].category_id", "7 (`bird`)", "training split does not have"]);
}

#[test]
fn one_name_is_one_class() {
    let folder = Folder::coco();
    let mut json = coco_json();
    json["categories"] =
        json!([{"id": 0, "name": "dog"}, {"id": 3, "name": "cat"}, {"id": 7, "name": "dog"}]);
    folder.write_json("train", &json);
    let set = folder.open("train").unwrap();
    assert_eq!(
        (set.class_names(), set.annotations(2).unwrap().labels),
        (["dog", "cat"].map(String::from).as_slice(), vec![1, 0])
    );
    assert_eq!(set.category_id(0), 7);
    assert_says(&set.describe(), &["categories of one name merged: 1 (first:", "category 7 `dog`"]);
}

#[test]
fn a_file_and_its_folders_can_be_named() {
    let folder = Folder::coco();
    let json = folder.path("annotations/instances_val.json");
    let set = Coco::open(&json, &[folder.path("elsewhere"), folder.path("val")], "val", None).unwrap();
    assert_eq!((set.len(), set.name()), (3, format!("{}/val", folder.layout().unwrap().name())));
    let fault = Coco::open(&json, &[folder.path("elsewhere")], "val", None).unwrap_err().to_string();
    assert_says(&fault, &["instances_val.json", "`a.png`", "none of these folders", "elsewhere"]);
}
