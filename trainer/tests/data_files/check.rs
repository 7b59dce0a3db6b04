//! `trainer data check`: what it counts, what it finds, how it ends.

use serde_json::{Value, json};
use trainer::data::check::{Check, CheckReport};

use super::folder::{Folder, HEIGHT, WIDTH, assert_says, coco_json, jpeg, png};
use super::support::cli::{Outcome, command};

fn report(folder: &Folder) -> CheckReport {
    let layout = folder.layout().unwrap();
    let mut check = Check::new(&layout);
    for split in check.splits(&[]) {
        if let Some(set) = check.read(&split) {
            check.decode(&set, &|| ());
        }
    }
    check.finish()
}

fn run(folder: &Folder, args: &[&str]) -> Outcome {
    command(folder.root(), ["data", "check"].iter().chain(args)).output().expect("the binary starts").into()
}

#[test]
fn counts_classes_sizes_and_images() {
    let folder = Folder::coco();
    let report = report(&folder);
    assert!(!report.is_broken(), "{report}");
    let counts = report.splits[0].counts.as_ref().unwrap();
    assert_eq!((counts.images, counts.empty_images, counts.objects, counts.crowds), (3, 1, 3, 1));
    let dog = &counts.classes[1];
    assert_eq!((dog.name.as_str(), dog.objects, dog.images), ("dog", 2, 2));
    // 32 x 48 pixels is medium, 384 square pixels are small.
    assert_eq!((dog.small, dog.medium, dog.large), (1, 1, 0));
    assert_eq!(counts.busiest.objects, 2);
    assert!(counts.busiest.image.ends_with("b.png"));
    assert_eq!(counts.largest.size, [WIDTH, HEIGHT]);
    assert_eq!(counts.histograms[0].rows(), [("64 to 128".to_owned(), 3)]);
    let text = report.to_string();
    assert_says(
        &text,
        &["== train", "3 images (1 without objects), 3 objects, 1 crowds", "busiest image: 2"],
    );
    assert_says(&text, &["longer side of images in pixels", "64 to 128", "########", "ready to train"]);
}

#[test]
fn finds_pictures_that_are_there_twice() {
    let folder = Folder::yolo();
    folder.write("images/train/b.png", folder.read("images/train/a.png"));
    folder.write("images/val/c.png", folder.read("images/train/a.png"));
    let report = report(&folder);
    assert!(!report.is_broken());
    let [pair] = &report.splits[0].repeated_pictures[..] else { panic!("{report}") };
    assert!(pair.first.ends_with("a.png") && pair.second.ends_with("train/b.png"), "{pair:?}");
    let [pair] = &report.shared_pictures[..] else { panic!("{report}") };
    assert!(pair.first.ends_with("train/a.png") && pair.second.ends_with("val/c.png"), "{pair:?}");
    assert_says(&report.to_string(), &["the same picture twice: 1", "pictures in two splits"]);
}

#[test]
fn lists_every_fault_and_not_only_the_first() {
    let folder = Folder::coco();
    let mut json = coco_json();
    json["annotations"][0]["category_id"] = json!(99);
    json["images"][1]["file_name"] = json!("gone.png");
    json["annotations"]
        .as_array_mut()
        .unwrap()
        .push(json!({"id": 9, "image_id": 20, "category_id": 3, "bbox": [5, 5, 0, 5]}));
    folder.write_json("train", &json);
    folder.write("train/c.png", b"");
    let report = report(&folder);
    let train = &report.splits[0];
    assert_eq!((train.faults.len(), train.unreadable.len()), (2, 1), "{report}");
    let text = report.to_string();
    assert_says(
        &text,
        &["faults in the annotations: 2", "annotations[0].category_id", "gone.png", "images[1].file_name"],
    );
    assert_says(&text, &["images that cannot be used: 1", "c.png", "the file is empty"]);
    assert_says(
        &text,
        &["boxes without area dropped: 1", "annotations[4].bbox (right)", "not ready to train: 3 faults"],
    );
}

#[test]
fn finds_repeated_objects_and_splits_that_are_not_there() {
    let folder = Folder::yolo();
    folder.write("labels/train/c.txt", "0 0.5 0.5 0.25 0.25\n0 0.5 0.5 0.25 0.25\n");
    folder.edit("data.yaml", "val: images/val\n", "");
    let report = report(&folder);
    assert_eq!(report.splits[0].counts.as_ref().unwrap().repeated_objects, 1);
    assert_says(&report.to_string(), &["objects that repeat another", "there is no split `val`"]);
}

#[test]
fn the_command_ends_with_zero_and_a_contact_sheet() {
    let folder = Folder::voc();
    let outcome = run(&folder, &["."]).succeeded();
    assert_says(&outcome.stdout, &["Pascal VOC data set in `.`", "== train", "== val", "ready to train"]);
    let sheet = image::open(folder.path("runs/data-check.png")).expect("a picture");
    assert!(sheet.width() > 1000);
    outcome.says(&["look at runs/data-check.png"]);
}

#[test]
fn the_command_ends_with_one_when_training_would_stop() {
    let folder = Folder::yolo();
    let whole = jpeg(WIDTH, HEIGHT, 1);
    folder.write("images/val/b.png", &whole[..whole.len() - 9]);
    let outcome = run(&folder, &[".", "--json"]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    let report: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    assert_says(
        report["splits"][1]["unreadable"][0].as_str().unwrap(),
        &["images/val/b.png", "cannot decode"],
    );
    assert_eq!(report["splits"][0]["counts"]["classes"][1]["name"], "dog");
    assert_eq!(report["splits"][0]["counts"]["histograms"][0]["counts"][1], 3);
}

#[test]
fn the_command_can_look_at_one_split_and_leave_the_pixels() {
    let folder = Folder::coco();
    folder.write("val/b.png", b"not an image");
    let outcome = run(&folder, &[".", "--split", "val", "--no-decode"]).succeeded();
    assert_says(&outcome.stdout, &["== val"]);
    assert!(!outcome.stdout.contains("== train") && !folder.path("runs").exists());
    run(&folder, &["nowhere"]).failed_saying(&["`nowhere`", "it is missing", "COCO", "YOLO", "Pascal VOC"]);
    let unknown = run(&folder, &[".", "--split", "holdout"]);
    assert_eq!(unknown.code, Some(1));
    assert_says(&unknown.stdout, &["no split `holdout`", "splits found: train, val"]);
}

#[test]
fn the_help_has_examples() {
    let folder = Folder::new();
    let outcome = run(&folder, &["--help"]).succeeded();
    assert_says(&outcome.stdout, &["trainer data check BCCD", "--json", "--no-decode", "Exit code 1"]);
}

#[test]
fn a_picture_with_another_size_than_annotated_is_a_fault() {
    let folder = Folder::coco();
    folder.write("train/b.png", png(WIDTH + 1, HEIGHT, 0));
    let report = report(&folder);
    let fault = &report.splits[0].unreadable[..];
    assert_says(&fault[0], &["image id 30 says 64x48", "b.png` is 65x48", "correct the size"]);
}
