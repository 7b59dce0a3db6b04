//! Bad input ends with a message that names file and field and says what to do; repairs are said.

mod support;

use std::fmt::Write;

use image::{Rgb, RgbImage};
use support::cli::{Outcome, Place};

const SIDE: u32 = 64;
const WHOLE: [&str; 4] = ["4", "4", "40", "40"];

/// A place with a Pascal VOC folder `voc`: `a`, `b`, `c`, `d` for training, `e` for validation.
struct Photographs(Place);

impl Photographs {
    fn new() -> Self {
        let voc = Self(Place::new());
        for name in ["a", "b", "c", "d", "e"] {
            voc.add(name, &object("cat", WHOLE));
        }
        voc.0.write("voc/ImageSets/Main/train.txt", "a\nb\nc\nd\n");
        voc.0.write("voc/ImageSets/Main/val.txt", "e\n");
        voc
    }

    fn add(&self, name: &str, objects: &str) {
        let picture = RgbImage::from_fn(SIDE, SIDE, |x, y| Rgb([(x * 4) as u8, (y * 4) as u8, 128]));
        let mut bytes = std::io::Cursor::new(Vec::new());
        picture.write_to(&mut bytes, image::ImageFormat::Jpeg).expect("a picture");
        self.0.write(&format!("voc/JPEGImages/{name}.jpg"), bytes.into_inner());
        self.annotate(name, objects);
    }

    fn annotate(&self, name: &str, objects: &str) {
        let size = format!("<size><width>{SIDE}</width><height>{SIDE}</height><depth>3</depth></size>");
        let text = format!("<annotation>\n{size}\n{objects}</annotation>\n");
        self.0.write(&format!("voc/Annotations/{name}.xml"), text);
    }

    fn train(&self) -> Outcome {
        self.0.run("train --config tiny.toml --data voc --epochs 1 --threads 1 --device cpu --run run")
    }
}

fn object(name: &str, edges: [&str; 4]) -> String {
    let mut text = format!("<object>\n<name>{name}</name>\n<bndbox>");
    for (tag, edge) in ["xmin", "ymin", "xmax", "ymax"].iter().zip(edges) {
        write!(text, "<{tag}>{edge}</{tag}>").expect("memory");
    }
    text + "</bndbox>\n</object>\n"
}

fn fails(args: &str, parts: &[&str]) {
    Place::new().run(args).failed_saying(parts);
}

#[test]
fn folder_that_is_not_there() {
    fails("train --data no/photos", &["no/photos", "missing", "Annotations"]);
}

#[test]
fn folder_without_annotations() {
    let place = Place::new();
    place.write("photos/JPEGImages/a.jpg", "");
    place.run("train --data photos").failed_saying(&["photos/Annotations", "missing", "XML"]);
}

#[test]
fn empty_split() {
    let voc = Photographs::new();
    voc.0.write("voc/ImageSets/Main/val.txt", "\n");
    voc.train().failed_saying(&["`val` is empty", "val.txt", "one image name per line"]);
}

#[test]
fn split_without_a_list() {
    let voc = Photographs::new();
    std::fs::remove_file(voc.0.path("voc/ImageSets/Main/val.txt")).expect("the list is there");
    voc.train().failed_saying(&["`val`", "val.txt", "splits found: train"]);
}

#[test]
fn truncated_and_empty_photograph() {
    let voc = Photographs::new();
    let whole = std::fs::read(voc.0.path("voc/JPEGImages/b.jpg")).expect("a photograph");
    voc.0.write("voc/JPEGImages/b.jpg", &whole[..whole.len() / 2]);
    voc.train().failed_saying(&["JPEGImages/b.jpg", "cannot decode", "replace the file"]);
    voc.0.write("voc/JPEGImages/b.jpg", "");
    std::fs::remove_dir_all(voc.0.path("run")).ok();
    voc.train().failed_saying(&["JPEGImages/b.jpg"]);
}

#[test]
fn boxes_outside_the_photograph_are_mended_and_that_is_said() {
    let voc = Photographs::new();
    voc.annotate("a", &(object("cat", ["50", "4", "90", "40"]) + &object("cat", ["9", "9", "9", "30"])));
    let outcome = voc.train().succeeded();
    outcome.says(&["Annotations/a.xml", "clipped to the image", "without area dropped"]);
    assert!(outcome.stdout.starts_with("AP "), "{}", outcome.stdout);
}

#[test]
fn class_that_training_does_not_have() {
    let voc = Photographs::new();
    voc.annotate("e", &object("zebra", WHOLE));
    voc.train().failed_saying(&["Annotations/e.xml", "line 4", "`zebra`", "cat", "correct the name"]);
}

#[test]
fn run_directory_that_cannot_be_written() {
    let place = Place::new();
    place.write("file", "");
    let run = |folder: &str| place.run(&format!("train --config tiny.toml --run {folder}"));
    run("file/run").failed_saying(&["file/run", "cannot create", "check that"]);
    run("file").failed_saying(&["file is a file", "pick another path"]);
    if cfg!(target_os = "linux") {
        run("/proc/run").failed_saying(&["/proc/run", "cannot create", "check that"]);
    }
}

#[test]
fn flags_out_of_range() {
    fails("train --side 100", &["data.side", "100", "multiple of 32"]);
    fails("train --batch-size 0", &["batch_size", "0", "at least 1"]);
    fails("train --epochs 0", &["epochs", "0", "at least 1"]);
    fails("train --lr nan", &["optimizer.lr", "NaN", "positive"]);
    fails("train --lr=-1", &["optimizer.lr", "-1", "positive"]);
    fails("train --max-minutes nan", &["--max-minutes", "nan", "number of minutes"]);
    fails("train --max-minutes=-1", &["--max-minutes", "number of minutes"]);
    fails("train --threads 0", &["--threads", "0"]);
    fails("train --device gpu", &["--device gpu", "cuda:N"]);
    fails("train --resume", &["--run"]);
    fails("leak-demo --steps 1", &["--steps", "1"]);
}

#[test]
fn more_images_in_a_batch_than_there_are() {
    let args = "train --config tiny.toml --batch-size 17 --run run";
    fails(args, &["batch_size", "17", "at most the 16 images"]);
}

#[test]
fn accelerator_that_is_not_there() {
    if tch::Cuda::is_available() {
        return;
    }
    fails("train --device cuda:0", &["--device cuda:0"]);
    fails("train --device cuda:x", &["--device cuda:x", "cuda:N"]);
}

#[test]
fn configuration_with_an_unknown_key() {
    let place = Place::new();
    let text = std::fs::read_to_string(place.path("tiny.toml")).expect("a configuration");
    place.write("bad.toml", text.replace("batch_size", "batchsize"));
    place.run("train --config bad.toml").failed_saying(&["bad.toml", "line 3", "batchsize", "batch_size"]);
    place.run("train --config none.toml").failed_saying(&["none.toml", "No such file"]);
}

#[test]
fn nothing_to_resume() {
    let place = Place::new();
    std::fs::create_dir(place.path("empty")).expect("a folder");
    let run = || place.run("train --run empty --resume");
    run().failed_saying(&["empty", "no last.safetensors", "without --resume"]);
    place.write("empty/last.safetensors", [7; 100]);
    run().failed_saying(&["empty/last.safetensors", "not a whole safetensors file", "new run"]);
    assert_eq!(std::fs::read(place.path("empty/last.safetensors")).expect("still there"), [7; 100]);
}
