//! Which data set lies at a path.

use trainer::config::{DataSource, TrainConfig};
use trainer::data::{Dataset, Format, Layout};

use super::folder::{Folder, assert_says};
use super::support::cli::{Outcome, command};
use super::support::tiny;

#[test]
fn tells_the_formats_apart_and_says_so() {
    let folders = [
        (Folder::voc(), Format::Voc, "Pascal VOC data set in `"),
        (Folder::coco(), Format::Coco, "COCO data set in `"),
        (Folder::yolo(), Format::Yolo, "YOLO data set in `"),
    ];
    for (folder, format, line) in folders {
        let layout = folder.layout().unwrap();
        assert_eq!((layout.format(), layout.splits()), (format, vec!["train", "val"]));
        assert_says(&layout.to_string(), &[line, "splits train, val"]);
        assert_eq!(layout.open("train", None).unwrap().len(), 3);
        let source = DataSource::files(&layout);
        let text = toml::to_string(&TrainConfig::photographs(source.clone())).unwrap();
        assert_eq!(toml::from_str::<TrainConfig>(&text).unwrap().data.source, source);
    }
}

#[test]
fn reads_the_configurations_of_earlier_runs() {
    let text = toml::to_string(&TrainConfig::photographs(DataSource::Voc { folder: "BCCD".into() })).unwrap();
    assert!(text.contains("[data.source.voc]\nfolder = \"BCCD\""), "{text}");
}

#[test]
fn lists_what_was_looked_for() {
    let folder = Folder::new();
    let fault = || folder.layout().unwrap_err().to_string();
    let formats = ["COCO: annotations/instances_train", "YOLO: data.yaml", "Pascal VOC: Annotations/*.xml"];
    assert_says(&fault(), &["it is an empty folder"]);
    assert_says(&fault(), &formats);
    folder.write("notes.md", "");
    assert_says(&fault(), &["it holds notes.md"]);
    let missing = Layout::detect("no/such/folder").unwrap_err().to_string();
    assert_says(&missing, &["`no/such/folder`", "it is missing"]);
    assert_says(&missing, &formats);
    let file = Layout::detect(folder.path("notes.md").to_str().unwrap()).unwrap_err().to_string();
    assert_says(&file, &["neither .json nor .yaml"]);
}

#[test]
fn a_word_before_the_path_chooses_among_several() {
    let folder = Folder::voc();
    folder.write("data.yaml", "names: [cat]\ntrain: images\n");
    let fault = folder.layout().unwrap_err().to_string();
    let root = folder.root().display().to_string();
    assert_says(&fault, &["several data sets: yolo, voc", &format!("such as `yolo:{root}`")]);
    assert_eq!(Layout::detect(&format!("voc:{root}")).unwrap().format(), Format::Voc);
    assert_eq!(Layout::detect(&format!("yolo:{root}")).unwrap().format(), Format::Yolo);
}

#[test]
fn names_the_splits_that_are_there() {
    for folder in [Folder::voc(), Folder::coco(), Folder::yolo()] {
        assert_says(&folder.fault("holdout"), &["split `holdout`", "splits found: train, val"]);
    }
    let folder = Folder::coco();
    folder.write("annotations/instances_train2014.json", "{}");
    assert_says(
        &folder.fault("train"),
        &["split `train` is ambiguous", "instances_train.json", "train2014.json"],
    );
}

#[test]
fn training_takes_every_format() {
    for folder in [Folder::coco(), Folder::yolo()] {
        folder.write("tiny.toml", toml::to_string(&tiny::config()).unwrap());
        let args =
            "train --config tiny.toml --data . --epochs 1 --batch-size 1 --threads 1 --device cpu --run run";
        let outcome: Outcome = command(folder.root(), args.split(' ')).output().unwrap().into();
        let outcome = outcome.succeeded();
        outcome.says(&["data set in `.`, splits train, val", "3 images, 3 objects, 2 classes (cat, dog)"]);
        assert!(outcome.stdout.starts_with("AP "), "{}", outcome.stdout);
    }
}
