//! `trainer eval`: the table, the files, and data that does not fit the model.

mod support;

use std::fmt::Write;

use serde_json::{Value, json};
use support::cli::{Place, picture};

const EVAL: &str = "eval --weights run --threads 1 --device cpu";

const FILES: [&str; 6] = [
    "metrics.json",
    "results.json",
    "ground_truth.json",
    "precision_recall.png",
    "confusion.png",
    "predictions.png",
];

fn place() -> Place {
    let place = Place::new();
    place.add_weights("run");
    place
}

/// The lines with numbers: no times, no paths.
fn table(stdout: &str) -> Vec<&str> {
    stdout.lines().take_while(|line| !line.contains("look at") && !line.contains("peak memory")).collect()
}

#[test]
fn a_run_is_evaluated_on_its_own_validation_split() {
    let place = place();
    let outcome = place.run(EVAL).succeeded();
    outcome.says(&["val", "8 rendered images", "5 classes"]);
    assert!(outcome.stdout.contains("look at run/eval/"), "{}", outcome.stdout);
    let lines = table(&outcome.stdout);
    assert!(lines[0].trim_start().starts_with("AP ") && lines[4].is_empty(), "{lines:#?}");
    assert!(lines[5].starts_with("class ") && lines.len() == 11, "{lines:#?}");
    for name in FILES {
        let path = place.path("run/eval").join(name);
        assert!(path.metadata().is_ok_and(|file| file.len() > 0), "{name} is missing or empty");
        if name.ends_with(".png") {
            assert!(image::open(&path).expect("a PNG").width() >= 1000, "{name} is small");
        }
    }
    let metrics = place.json("run/eval/metrics.json");
    assert_eq!((&metrics["images"], metrics["per_class"].as_array().map(Vec::len)), (&json!(8), Some(5)));
    let ap = metrics["ap"].as_f64().expect("a number");
    assert_eq!(lines[1].split_whitespace().next(), Some(format!("{ap:.3}").as_str()));
    let objects = place.json("run/eval/ground_truth.json")["annotations"].as_array().map(Vec::len);
    let rows = metrics["confusion"]["counts"].as_array().expect("rows");
    let of = |row: &Value| row.as_array().expect("a row").iter().filter_map(Value::as_u64).sum::<u64>();
    assert_eq!(Some(rows[..5].iter().map(of).sum::<u64>() as usize), objects, "every object is in one row");
}

#[test]
fn the_files_give_the_same_table_again() {
    let place = place();
    let first = place.run(&format!("{EVAL} --out found --split train --batch 3")).succeeded();
    first.says(&["16 rendered images"]);
    let again = "eval --results found/results.json --ground-truth found/ground_truth.json";
    let second = place.run(again).succeeded();
    assert_eq!(table(&second.stdout), table(&first.stdout));
    let last = second.stdout.lines().last().expect("a last line");
    assert!(last.contains("peak memory ") || cfg!(not(target_os = "linux")), "{last}");
    assert_eq!(std::fs::read_dir(place.folder()).expect("a folder").count(), 3, "only --out writes files");
    let third = place.run(&format!("{again} --out other")).succeeded();
    assert!(third.stdout.contains("look at other/"), "{}", third.stdout);
    let number = |folder: &str| place.json(&format!("{folder}/metrics.json"))["ap50"].clone();
    assert_eq!(number("other"), number("found"));
}

/// A COCO data set of one image whose categories are called `names`, ids from 11 in steps of 10.
fn write_coco(place: &Place, names: &[&str]) {
    place.write("coco/val/a.png", picture("a.png", 64, 64));
    let ids = (11..).step_by(10);
    let categories: Vec<_> = ids.zip(names).map(|(id, name)| json!({"id": id, "name": name})).collect();
    let object = json!({"id": 1, "image_id": 70, "category_id": 11, "bbox": [8, 8, 32, 32], "area": 1024, "iscrowd": 0});
    let image = json!({"id": 70, "file_name": "a.png", "width": 64, "height": 64});
    let text = json!({"images": [image], "annotations": [object], "categories": categories}).to_string();
    place.write("coco/annotations/instances_val.json", text);
}

#[test]
fn classes_are_matched_by_name() {
    let place = place();
    write_coco(&place, &["star", "ring", "circle", "square", "triangle"]);
    place.run(&format!("{EVAL} --data coco --out found")).succeeded().says(&["1 image"]);
    let metrics = place.json("found/metrics.json");
    let names: Vec<_> =
        metrics["per_class"].as_array().expect("classes").iter().map(|c| &c["name"]).collect();
    assert_eq!(names, ["star", "ring", "circle", "square", "triangle"]);
    // Numbered as in the data set's own file.
    let results = place.json("found/results.json");
    let results = results.as_array().expect("detections");
    assert!(!results.is_empty() && results.iter().all(|found| found["image_id"] == 70));
    let ids = [11, 21, 31, 41, 51].map(|id| json!(id));
    assert!(results.iter().all(|found| ids.contains(&found["category_id"])));

    write_coco(&place, &["star", "ring", "circle", "square", "zebra"]);
    place
        .run(&format!("{EVAL} --data coco --out found"))
        .failed_saying(&["only the model has `triangle`", "only the data has `zebra`"]);
}

#[test]
fn a_class_that_the_model_does_not_know_is_named_with_its_file() {
    let place = place();
    let mut object = String::from("<object>\n<name>zebra</name>\n<bndbox>");
    for (tag, edge) in ["xmin", "ymin", "xmax", "ymax"].iter().zip([4, 4, 40, 40]) {
        write!(object, "<{tag}>{edge}</{tag}>").expect("memory");
    }
    let size = "<size><width>64</width><height>64</height><depth>3</depth></size>";
    place
        .write("voc/Annotations/a.xml", format!("<annotation>{size}{object}</bndbox></object></annotation>"));
    place.write("voc/JPEGImages/a.jpg", picture("a.jpg", 64, 64));
    place.write("voc/ImageSets/Main/val.txt", "a\n");
    place.run(&format!("{EVAL} --data voc")).failed_saying(&["Annotations/a.xml", "`zebra`", "circle"]);
    place.run(&format!("{EVAL} --data voc --split test")).failed_saying(&["split `test`", "val"]);
}

#[test]
fn faults_of_the_command_line_are_told() {
    let place = place();
    let fails = |args: &str, parts: &[&str]| place.run(&format!("eval {args}")).failed_saying(parts);
    fails("--data shapes", &["--weights"]);
    fails("--results a.json", &["--ground-truth"]);
    fails("--ground-truth a.json --weights run", &["--ground-truth", "cannot be used with", "--weights"]);
    fails(
        "--weights run --results a.json --ground-truth b.json",
        &["--results", "cannot be used with", "--weights"],
    );
    fails("--results a.json --ground-truth b.json", &["b.json", "No such file"]);
    fails("--weights none", &["none", "No such file"]);
    fails("--weights run --split test", &["--split test", "train and val"]);
    fails("--weights run --threshold 2", &["--threshold", "from 0 to 1"]);
    fails("--weights run --data nowhere", &["nowhere"]);
    place.write("file", "");
    fails("--weights run --threads 1 --out file/eval", &["cannot create the folder file/eval"]);
    place.write("text.json", "no JSON");
    fails(
        "--results text.json --ground-truth text.json",
        &["text.json", "not a COCO ground-truth file", "line 1"],
    );
}
