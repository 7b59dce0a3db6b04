//! The Pascal VOC reader on folders made here, whole ones and hostile ones.

use std::path::{Path, PathBuf};

use image::{Rgb, RgbImage};
use tempfile::TempDir;
use trainer::data::{DataError, Dataset, FileSet, Voc};

const WIDTH: u32 = 64;
const HEIGHT: u32 = 48;

/// A folder with images `a` and `b` in `train` and `b` in `val`.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for part in ["Annotations", "ImageSets/Main", "JPEGImages"] {
            std::fs::create_dir_all(folder.path(part)).unwrap();
        }
        folder.add("a", &object("cat", ["1.5", "2", "30.25", "40"]));
        folder.add("b", &(object("dog", ["0", "0", "64", "48"]) + &object("cat", ["10", "10", "20", "20"])));
        folder.write("ImageSets/Main/train.txt", "a\nb\n");
        folder.write("ImageSets/Main/val.txt", "b  1\n\n");
        folder
    }

    fn path(&self, part: &str) -> PathBuf {
        self.0.path().join(part)
    }

    fn write(&self, part: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(part), content).unwrap();
    }

    /// An image and its annotation.
    fn add(&self, name: &str, objects: &str) {
        let image = RgbImage::from_fn(WIDTH, HEIGHT, |x, y| Rgb([(x * 4) as u8, (y * 5) as u8, 128]));
        image.save(self.path(&format!("JPEGImages/{name}.jpg"))).unwrap();
        self.annotate(name, objects);
    }

    fn annotate(&self, name: &str, objects: &str) {
        let size = format!("<size><width>{WIDTH}</width><height>{HEIGHT}</height><depth>3</depth></size>");
        self.write(
            &format!("Annotations/{name}.xml"),
            format!("<annotation>\n{size}\n{objects}</annotation>\n"),
        );
    }

    fn open(&self, split: &str) -> Result<FileSet, DataError> {
        Voc::open(self.0.path(), split, None)
    }

    fn fault(&self, split: &str) -> String {
        self.open(split).expect_err("the folder is broken").to_string()
    }
}

fn object(name: &str, [xmin, ymin, xmax, ymax]: [&str; 4]) -> String {
    let edges = format!("<xmin>{xmin}</xmin><ymin>{ymin}</ymin><xmax>{xmax}</xmax><ymax>{ymax}</ymax>");
    format!("<object>\n<name>{name}</name>\n<difficult>0</difficult>\n<bndbox>{edges}</bndbox>\n</object>\n")
}

fn assert_says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}

#[test]
fn reads_images_boxes_and_classes() {
    let folder = Folder::new();
    let voc = folder.open("train").unwrap();
    assert_eq!((voc.len(), voc.class_names()), (2, ["cat".to_owned(), "dog".to_owned()].as_slice()));
    let sample = voc.sample(1).unwrap();
    assert_eq!((sample.image_id, sample.image.dimensions()), (1, (WIDTH, HEIGHT)));
    assert_eq!(sample.labels, [1, 0]);
    assert_eq!(sample.boxes_xyxy, [[0.0, 0.0, 64.0, 48.0], [10.0, 10.0, 20.0, 20.0]]);
    assert_eq!(voc.sample(0).unwrap().boxes_xyxy, [[1.5, 2.0, 30.25, 40.0]]);
    let annotations = voc.annotations(1).unwrap();
    assert_eq!((annotations.labels, annotations.boxes_xyxy), (sample.labels, sample.boxes_xyxy));
    assert_eq!(annotations.size, [WIDTH, HEIGHT]);
    assert_says(&voc.describe(), &["/train: 2 images, 3 objects, 2 classes (cat, dog)"]);
    assert!(voc.locate(0).ends_with("a.jpg`"));
}

#[test]
fn a_given_class_list_sets_the_indices() {
    let folder = Folder::new();
    let classes = ["dog", "bird", "cat"].map(String::from);
    let voc = Voc::open(folder.0.path(), "val", Some(&classes)).unwrap();
    assert_eq!((voc.class_names(), voc.annotations(0).unwrap().labels), (classes.as_slice(), vec![0, 2]));
}

#[test]
fn names_a_class_that_is_not_in_the_list() {
    let folder = Folder::new();
    let fault = Voc::open(folder.0.path(), "train", Some(&["cat".into()])).unwrap_err().to_string();
    assert_says(&fault, &["b.xml` line 4", "`<object><name>` is `dog`", "classes cat"]);
}

#[test]
fn clips_and_drops_boxes_and_says_so_once() {
    let folder = Folder::new();
    let outside = object("cat", ["-3", "5", "70.5", "20"]) + &object("cat", ["-9", "0", "64", "48"]);
    let empty = object("dog", ["7", "8", "7", "30"]) + &object("cat", ["3", "60", "9", "70"]);
    folder.annotate("a", &(outside + &empty));
    let voc = folder.open("train").unwrap();
    let annotations = voc.annotations(0).unwrap();
    assert_eq!(annotations.boxes_xyxy, [[0.0, 5.0, 64.0, 20.0], [0.0, 0.0, 64.0, 48.0]]);
    let line = voc.describe();
    assert_says(&line, &["clipped to the image: 2 (first", "a.xml` line 6 <xmin>"]);
    assert_says(&line, &["without area dropped: 1 (first", "a.xml` line 16 <xmax>"]);
    assert_says(&line, &["outside the image dropped: 1 (first", "a.xml` line 21 <ymax>"]);
    assert!(!line.contains('\n'));
}

#[test]
fn keeps_images_without_objects_and_marks_difficult_ones() {
    let folder = Folder::new();
    folder.annotate("a", "");
    folder.annotate("b", &object("cat", ["1", "1", "9", "9"]).replace("<difficult>0", "<difficult>1"));
    let voc = folder.open("train").unwrap();
    assert_eq!((voc.len(), voc.sample(0).unwrap().labels.len()), (2, 0));
    assert_eq!(voc.annotations(1).unwrap().difficult, [true]);
    assert_says(&voc.describe(), &["1 objects marked difficult"]);
}

#[test]
fn names_the_missing_folder_and_what_belongs_there() {
    let fault = Voc::open(Path::new("no/such/folder"), "train", None).unwrap_err().to_string();
    assert_says(&fault, &["`no/such/folder` is missing", "Pascal VOC"]);
    for (part, expected) in
        [("Annotations", "XML"), ("ImageSets/Main", "train.txt"), ("JPEGImages", "images")]
    {
        let folder = Folder::new();
        std::fs::remove_dir_all(folder.path(part)).unwrap();
        assert_says(&folder.fault("train"), &[&format!("{part}` is missing"), expected]);
    }
}

#[test]
fn names_splits_images_and_annotations_that_are_missing() {
    let folder = Folder::new();
    assert_says(&folder.fault("test"), &["`test`", "test.txt", "splits found: train, val"]);
    folder.write("ImageSets/Main/train.txt", " \n\n");
    assert_says(&folder.fault("train"), &["`train` is empty", "train.txt"]);
    folder.write("ImageSets/Main/train.txt", "a\nghost\n");
    assert_says(
        &folder.fault("train"),
        &["`ghost`", "train.txt` line 2", "JPEGImages/ghost` with the extension jpg"],
    );
    folder.write("ImageSets/Main/train.txt", "a\n");
    std::fs::remove_file(folder.path("Annotations/a.xml")).unwrap();
    assert_says(&folder.fault("train"), &["cannot read", "Annotations/a.xml"]);
}

#[test]
fn refuses_a_split_without_any_object() {
    let folder = Folder::new();
    folder.annotate("b", "");
    assert_says(&folder.fault("val"), &["no annotated object in split `val`"]);
}

#[test]
fn names_file_line_and_element_of_bad_xml() {
    let good = object("cat", ["1", "2", "30", "40"]);
    let cases = [
        (good.replace("<xmin>1<", "<xmin>one<"), ["line 6", "`<object><bndbox><xmin>` is `one`", "number"]),
        (good.replace("<ymax>40<", "<ymax>NaN<"), ["line 6", "`<object><bndbox><ymax>` is `NaN`", "finite"]),
        (good.replace("<xmax>30</xmax>", ""), ["line 6", "`<object><bndbox><xmax>` is missing", "element"]),
        (good.replace("<name>cat</name>", ""), ["line 3", "`<object><name>` is missing", "element"]),
        (good.replace(">cat<", "> <"), ["line 4", "`<object><name>` is empty", "class"]),
        (good.replace("bndbox", "box"), ["line 3", "`<object><bndbox>` is missing", "element"]),
        (
            good.replace("<difficult>0", "<difficult>no"),
            ["line 5", "`<object><difficult>` is `no`", "0 or 1"],
        ),
        (good.replace("</object>", ""), ["is not valid XML", "expected 'object' tag", "at 8:1"]),
    ];
    let folder = Folder::new();
    for (objects, parts) in cases {
        folder.annotate("a", &objects);
        let fault = folder.fault("train");
        assert_says(&fault, &parts);
        assert_says(&fault, &["Annotations/a.xml"]);
    }
}

#[test]
fn checks_the_annotated_size() {
    let folder = Folder::new();
    let rest = object("cat", ["1", "2", "30", "90"]);
    let with_size =
        |size: &str| folder.write("Annotations/a.xml", format!("<annotation>{size}{rest}</annotation>"));
    with_size("");
    assert_says(&folder.fault("train"), &["a.xml` line 1", "`<size>` is missing"]);
    with_size("<size><width>64</width></size>");
    assert_says(&folder.fault("train"), &["`<size><height>` is missing"]);
    with_size("<size><width>64</width><height>-4</height></size>");
    assert_says(&folder.fault("train"), &["`<size><height>` is `-4`", "whole number"]);
    with_size("<size><width>48</width><height>64</height></size>");
    assert_says(&folder.fault("train"), &["`<size>` says 48x64", "a.jpg` is 64x48"]);
    with_size("<size><width>0</width><height>0</height></size>");
    let voc = folder.open("train").unwrap();
    assert_eq!(voc.annotations(0).unwrap().boxes_xyxy, [[1.0, 2.0, 30.0, 48.0]]);
    assert_says(&voc.describe(), &["sizes of 0 taken from the image: 1"]);
}

#[test]
fn names_broken_images() {
    let folder = Folder::new();
    let whole = std::fs::read(folder.path("JPEGImages/a.jpg")).unwrap();
    folder.write("JPEGImages/a.jpg", b"");
    assert_says(&folder.fault("train"), &["a.jpg", "the file is empty"]);
    folder.write("JPEGImages/a.jpg", b"<html>not found</html>");
    assert_says(&folder.fault("train"), &["cannot decode the image", "a.jpg"]);
    for length in [whole.len() - 2, whole.len() - 40, whole.len() * 3 / 4] {
        folder.write("JPEGImages/a.jpg", &whole[..length]);
        let fault = folder
            .open("train")
            .and_then(|voc| voc.sample(0))
            .expect_err("the JPEG is truncated")
            .to_string();
        assert_says(&fault, &["cannot decode the image", "a.jpg", "ends early", "out of the split"]);
    }
}

#[test]
fn every_prefix_of_a_jpeg_is_an_error_and_no_panic() {
    let folder = Folder::new();
    let whole = std::fs::read(folder.path("JPEGImages/a.jpg")).unwrap();
    let voc = folder.open("train").unwrap();
    for length in (0..whole.len()).step_by(7) {
        folder.write("JPEGImages/a.jpg", &whole[..length]);
        assert!(voc.sample(0).is_err(), "{length} of {} bytes", whole.len());
    }
}

#[test]
fn reads_grey_and_transparent_png() {
    let folder = Folder::new();
    for name in ["a", "b"] {
        std::fs::remove_file(folder.path(&format!("JPEGImages/{name}.jpg"))).unwrap();
    }
    image::GrayImage::from_pixel(WIDTH, HEIGHT, image::Luma([77]))
        .save(folder.path("JPEGImages/a.png"))
        .unwrap();
    let clear = image::RgbaImage::from_pixel(WIDTH, HEIGHT, image::Rgba([1, 2, 3, 100]));
    clear.save(folder.path("JPEGImages/b.png")).unwrap();
    let voc = folder.open("train").unwrap();
    assert_eq!(voc.sample(0).unwrap().image.get_pixel(5, 5).0, [77; 3]);
    assert_eq!(voc.sample(1).unwrap().image.get_pixel(5, 5).0, [1, 2, 3]);
}
