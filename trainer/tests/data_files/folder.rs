//! Small data sets in temporary folders, one of each format, with the same three images.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use image::{ImageFormat, Rgb, RgbImage};
use serde_json::{Value, json};
use tempfile::TempDir;
use trainer::data::{DataError, FileSet, Layout};

pub const WIDTH: u32 = 64;
pub const HEIGHT: u32 = 48;

/// A temporary folder.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    pub fn root(&self) -> &Path {
        self.0.path()
    }

    pub fn path(&self, part: &str) -> PathBuf {
        self.0.path().join(part)
    }

    /// Writes a file and the folders above it.
    pub fn write(&self, part: &str, content: impl AsRef<[u8]>) {
        let path = self.path(part);
        std::fs::create_dir_all(path.parent().expect("a folder above")).expect("a folder");
        std::fs::write(path, content).expect("a file");
    }

    pub fn read(&self, part: &str) -> Vec<u8> {
        std::fs::read(self.path(part)).expect("the file is there")
    }

    pub fn remove(&self, part: &str) {
        let path = self.path(part);
        if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }
            .expect("it is there");
    }

    /// Replaces `from`, which must be there, in a text file.
    pub fn edit(&self, part: &str, from: &str, to: &str) {
        let text = String::from_utf8(self.read(part)).expect("text");
        assert!(text.contains(from), "`{from}` is not in {text}");
        self.write(part, text.replacen(from, to, 1));
    }

    pub fn layout(&self) -> Result<Layout, DataError> {
        Layout::detect(self.root().to_str().expect("UTF-8"))
    }

    pub fn open(&self, split: &str) -> Result<FileSet, DataError> {
        self.layout()?.open(split, None)
    }

    pub fn fault(&self, split: &str) -> String {
        self.open(split).expect_err("the folder is broken").to_string()
    }

    /// `annotations/instances_{train,val}.json`; `a` has an object and a crowd, `b` two objects, `c` none.
    pub fn coco() -> Self {
        let folder = Self::new();
        for split in ["train", "val"] {
            for (shade, name) in (0..).zip(["a", "b", "c"]) {
                folder.write(
                    &format!("{split}/{name}.png"),
                    png(WIDTH, HEIGHT, shade + 40 * split.len() as u8),
                );
            }
            folder.write_json(split, &coco_json());
        }
        folder
    }

    pub fn write_json(&self, split: &str, json: &Value) {
        self.write(&format!("annotations/instances_{split}.json"), serde_json::to_vec(json).expect("JSON"));
    }

    /// `data.yaml`, `images/{train,val}`, `labels/{train,val}`; `a` has an object, `b` two, `c` none.
    pub fn yolo() -> Self {
        let folder = Self::new();
        folder.write("data.yaml", "train: images/train\nval: images/val\nnames: [cat, dog]\n");
        for split in ["train", "val"] {
            for (shade, name) in (0..).zip(["a", "b", "c"]) {
                let picture = png(WIDTH, HEIGHT, shade + 40 * split.len() as u8);
                folder.write(&format!("images/{split}/{name}.png"), picture);
            }
            folder.write(&format!("labels/{split}/a.txt"), "1 0.5 0.5 0.25 0.5\n");
            folder.write(&format!("labels/{split}/b.txt"), "0 0.25 0.25 0.5 0.5\n1 0.75 0.5 0.5 1\n");
            folder.write(&format!("labels/{split}/c.txt"), "");
        }
        folder
    }

    /// A Pascal VOC folder; `a` has an object, `b` two, `c` none.
    pub fn voc() -> Self {
        let folder = Self::new();
        for (shade, name) in (0..).zip(["a", "b", "c"]) {
            folder.write(&format!("JPEGImages/{name}.png"), png(WIDTH, HEIGHT, shade));
        }
        folder.voc_annotation("a", &[("dog", [24, 12, 40, 36])]);
        folder.voc_annotation("b", &[("cat", [0, 0, 32, 24]), ("dog", [32, 0, 64, 48])]);
        folder.voc_annotation("c", &[]);
        folder.write("ImageSets/Main/train.txt", "a\nb\nc\n");
        folder.write("ImageSets/Main/val.txt", "b\n");
        folder
    }

    fn voc_annotation(&self, name: &str, objects: &[(&str, [u32; 4])]) {
        let object = |(class, [x0, y0, x1, y1]): &(&str, [u32; 4])| {
            format!(
                "<object><name>{class}</name><bndbox><xmin>{x0}</xmin><ymin>{y0}</ymin><xmax>{x1}</xmax>\
                 <ymax>{y1}</ymax></bndbox></object>\n"
            )
        };
        let objects: String = objects.iter().map(object).collect();
        let size = format!("<size><width>{WIDTH}</width><height>{HEIGHT}</height></size>");
        let text = format!("<annotation>\n{size}\n{objects}</annotation>\n");
        self.write(&format!("Annotations/{name}.xml"), text);
    }
}

/// The annotations of [`Folder::coco`]: category ids with a gap, `annotations` before `images`, no `info`.
pub fn coco_json() -> Value {
    json!({
        "annotations": [
            {"id": 1, "image_id": 30, "category_id": 3, "bbox": [0.0, 0.0, 32.0, 24.0], "area": 700.5, "iscrowd": 0},
            {"id": 2, "image_id": 10, "category_id": 7, "bbox": [24.0, 12.0, 16.0, 24.0], "area": 384.0, "iscrowd": 0,
             "segmentation": [[24.0, 12.0, 40.0, 12.0, 40.0, 36.0]]},
            {"id": 3, "image_id": 30, "category_id": 7, "bbox": [32.0, 0.0, 32.0, 48.0]},
            {"id": 4, "image_id": 10, "category_id": 3, "bbox": [1.0, 1.0, 30.0, 30.0], "area": 900.0, "iscrowd": 1,
             "segmentation": {"counts": [1, 2], "size": [48, 64]}}
        ],
        "categories": [{"id": 7, "name": "dog", "supercategory": "animal"}, {"id": 3, "name": "cat"}],
        "images": [
            {"id": 30, "file_name": "b.png", "width": WIDTH, "height": HEIGHT, "license": 1},
            {"id": 10, "file_name": "a.png", "width": WIDTH, "height": HEIGHT},
            {"id": 20, "file_name": "c.png", "width": WIDTH, "height": HEIGHT}
        ]
    })
}

pub fn picture(width: u32, height: u32, shade: u8) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| Rgb([(x * 4) as u8, (y * 5) as u8, shade]))
}

pub fn png(width: u32, height: u32, shade: u8) -> Vec<u8> {
    encoded(&picture(width, height, shade), ImageFormat::Png)
}

pub fn jpeg(width: u32, height: u32, shade: u8) -> Vec<u8> {
    encoded(&picture(width, height, shade), ImageFormat::Jpeg)
}

fn encoded(picture: &RgbImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format).expect("a picture");
    bytes.into_inner()
}

pub fn assert_says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}
