//! What is found on an image, as JSON and CSV.

use std::path::Path;

use guard_core::no_retain;
use image::RgbImage;
use serde::Serialize;

use crate::eval::Detection;

/// The detections of one image.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImageRecord {
    /// The image, as it was named; what is not UTF-8 in its name is replaced.
    pub file: String,
    /// Width of the image in pixels, upright.
    pub width: u32,
    /// Height of the image in pixels, upright.
    pub height: u32,
    /// The picture with the boxes drawn, if one was asked for.
    pub picture: Option<String>,
    /// By descending score.
    pub detections: Vec<Found>,
}

/// A detection with the name of its class.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Found {
    /// Class index.
    pub label: i64,
    /// Class name.
    pub name: String,
    /// Between 0 and 1.
    pub score: f64,
    /// Left, top, right, bottom in pixels of the upright image, cut to it.
    pub box_xyxy: [f64; 4],
}

/// An image that could not be read.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The image, as it was named.
    pub file: String,
    /// Why.
    pub error: String,
}

const COLUMNS: [&str; 8] = ["file", "label", "name", "score", "left", "top", "right", "bottom"];

/// The first line of the CSV.
pub fn csv_head() -> String {
    COLUMNS.join(",") + "\n"
}

impl ImageRecord {
    /// The record of `image`, called `file`, with its detections cut to it.
    pub fn new(file: &Path, image: &RgbImage, detections: &[Detection], class_names: &[String]) -> Self {
        let (width, height) = image.dimensions();
        let found = |detection: &Detection| {
            let Detection { label, score, box_xyxy: [x0, y0, x1, y1] } = *detection;
            let (x, y) = (|v: f64| v.clamp(0.0, width.into()), |v: f64| v.clamp(0.0, height.into()));
            let name = usize::try_from(label).ok().and_then(|label| class_names.get(label));
            let name = name.cloned().unwrap_or_else(|| format!("class {label}"));
            Found { label, name, score, box_xyxy: [x(x0), y(y0), x(x1), y(y1)] }
        };
        let file = file.to_string_lossy().into_owned();
        Self { file, width, height, picture: None, detections: detections.iter().map(found).collect() }
    }

    /// One line of CSV for each detection, fields quoted where they need it.
    pub fn csv_rows(&self) -> Vec<u8> {
        let mut rows = csv::Writer::from_writer(Vec::new());
        for found in &self.detections {
            let [label, score] = [found.label.to_string(), found.score.to_string()];
            let edges = found.box_xyxy.map(|edge| edge.to_string());
            let row = [&self.file, &label, &found.name, &score].into_iter().chain(&edges);
            rows.write_record(row).expect("memory takes every row, and all have as many fields");
        }
        rows.into_inner().expect("memory takes every row")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(file: &str) -> ImageRecord {
        let names = ["cat, \"black\"".to_owned()];
        let detection = |label| Detection { label, score: 0.75, box_xyxy: [-3.0, 1.5, 99.0, 4.0] };
        ImageRecord::new(Path::new(file), &RgbImage::new(20, 10), &[detection(0), detection(7)], &names)
    }

    #[test]
    fn csv_quotes_names_and_files() {
        let rows = String::from_utf8(record("a,b.png").csv_rows()).expect("UTF-8");
        let expected =
            "\"a,b.png\",0,\"cat, \"\"black\"\"\",0.75,0,1.5,20,4\n\"a,b.png\",7,class 7,0.75,0,1.5,20,4\n";
        assert_eq!(rows, expected);
        assert_eq!(rows.lines().count(), csv_head().lines().count() + 1);
    }

    #[test]
    fn boxes_are_cut_to_the_image() {
        assert_eq!(record("a.png").detections[0].box_xyxy, [0.0, 1.5, 20.0, 4.0]);
    }
}
