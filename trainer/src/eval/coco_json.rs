//! Ground truth and results in COCO's JSON: what pycocotools and its kin read and write.

use std::path::Path;

use guard_core::no_retain;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

use super::{Category, CocoEvaluator, Detection, EvalError, GroundTruthImage, GroundTruthObject};

/// A detection in a results file.
#[no_retain]
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ResultRecord {
    /// An image of the ground truth.
    pub image_id: u64,
    /// A category of the ground truth.
    pub category_id: i64,
    /// Left, top, width, height in pixels.
    pub bbox: [f64; 4],
    /// Between 0 and 1.
    pub score: f64,
}

/// A ground-truth file, as far as boxes are concerned; what else stands in the file is skipped.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct GroundTruthFile {
    /// The images.
    pub images: Vec<ImageRecord>,
    /// Their objects, in any order.
    pub annotations: Vec<AnnotationRecord>,
    /// The classes.
    pub categories: Vec<CategoryRecord>,
}

/// An image in a ground-truth file.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImageRecord {
    /// Unique in the file.
    pub id: u64,
    /// In pixels; 0 when the file does not say.
    #[serde(default)]
    pub width: u32,
    /// In pixels; 0 when the file does not say.
    #[serde(default)]
    pub height: u32,
}

/// An object in a ground-truth file.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnnotationRecord {
    /// Written from 1 on, because pycocotools takes 0 for "none"; not read.
    #[serde(default)]
    pub id: u64,
    /// An image of the file.
    pub image_id: u64,
    /// A category of the file.
    pub category_id: i64,
    /// Left, top, width, height in pixels.
    pub bbox: [f64; 4],
    /// In square pixels; that of the box if none.
    #[serde(default)]
    pub area: Option<f64>,
    /// 1 for a crowd.
    #[serde(default, deserialize_with = "flag")]
    pub iscrowd: u8,
}

/// A class in a ground-truth file.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CategoryRecord {
    /// Unique in the file.
    pub id: i64,
    /// For reports.
    pub name: String,
}

impl CocoEvaluator {
    /// An evaluator for the images of a ground-truth file.
    ///
    /// # Errors
    /// A file that cannot be read or is no such JSON, an object of an image that is not listed, and as
    /// [`Self::new`].
    pub fn read(path: &Path) -> Result<Self, EvalError> {
        let mut file: GroundTruthFile = read_json(path, "a COCO ground-truth file")?;
        // A stable sort: objects keep the order of the file within their image.
        file.annotations.sort_by_key(|annotation| annotation.image_id);
        let objects = &file.annotations;
        let of_image = |id: u64| {
            let start = objects.partition_point(|annotation| annotation.image_id < id);
            objects[start..].iter().take_while(move |annotation| annotation.image_id == id)
        };
        let images: Vec<GroundTruthImage> = file
            .images
            .iter()
            .map(|image| GroundTruthImage {
                image_id: image.id,
                size_wh: (image.width, image.height),
                objects: of_image(image.id).map(object).collect(),
            })
            .collect();
        check_images_listed(path, &file)?;
        let category = |record: CategoryRecord| Category { id: record.id, name: record.name };
        Self::new(file.categories.into_iter().map(category).collect(), images)
    }

    /// Takes the detections of a results file; those of one image keep the order of the file.
    ///
    /// # Errors
    /// A file that cannot be read or is no such JSON, and as [`Self::add`].
    pub fn add_results(&mut self, path: &Path) -> Result<(), EvalError> {
        let mut records: Vec<ResultRecord> = read_json(path, "a COCO results file")?;
        // Equal scores rank in the order of the file, so the sort has to be stable.
        records.sort_by_key(|record| record.image_id);
        for image in records.chunk_by(|a, b| a.image_id == b.image_id) {
            self.add(image[0].image_id, &image.iter().map(detection).collect::<Vec<_>>())?;
        }
        Ok(())
    }

    /// All detections as a results file lists them, by ascending image id.
    pub fn results(&self) -> impl Iterator<Item = ResultRecord> + '_ {
        self.images().flat_map(|image| {
            self.detections(image.image_id).iter().map(|detection| ResultRecord {
                image_id: image.image_id,
                category_id: detection.label,
                bbox: xywh(detection.box_xyxy),
                score: detection.score,
            })
        })
    }

    /// The ground truth as a file, for other evaluators.
    pub fn ground_truth(&self) -> GroundTruthFile {
        let images = self.images().map(|image| {
            let (width, height) = image.size_wh;
            ImageRecord { id: image.image_id, width, height }
        });
        let objects =
            self.images().flat_map(|image| image.objects.iter().map(|object| (image.image_id, object)));
        let annotations = (1..).zip(objects).map(|(id, (image_id, object))| AnnotationRecord {
            id,
            image_id,
            category_id: object.label,
            bbox: xywh(object.box_xyxy),
            area: Some(object.area.unwrap_or_else(|| area(object.box_xyxy))),
            iscrowd: u8::from(object.iscrowd),
        });
        let record = |c: &Category| CategoryRecord { id: c.id, name: c.name.clone() };
        GroundTruthFile {
            images: images.collect(),
            annotations: annotations.collect(),
            categories: self.all_categories().iter().map(record).collect(),
        }
    }
}

fn read_json<T: DeserializeOwned>(path: &Path, what: &'static str) -> Result<T, EvalError> {
    let bytes = std::fs::read(path).map_err(|cause| EvalError::Read { path: path.into(), cause })?;
    serde_json::from_slice(&bytes).map_err(|cause| EvalError::Json { path: path.into(), what, cause })
}

fn check_images_listed(path: &Path, file: &GroundTruthFile) -> Result<(), EvalError> {
    let listed: std::collections::HashSet<u64> = file.images.iter().map(|image| image.id).collect();
    match file.annotations.iter().find(|annotation| !listed.contains(&annotation.image_id)) {
        Some(&AnnotationRecord { id, image_id, .. }) => {
            Err(EvalError::ImageNotListed { path: path.into(), annotation: id, image_id })
        }
        None => Ok(()),
    }
}

fn object(record: &AnnotationRecord) -> GroundTruthObject {
    GroundTruthObject {
        label: record.category_id,
        box_xyxy: xyxy(record.bbox),
        area: record.area,
        iscrowd: record.iscrowd != 0,
    }
}

fn detection(record: &ResultRecord) -> Detection {
    Detection { label: record.category_id, score: record.score, box_xyxy: xyxy(record.bbox) }
}

/// COCO writes a box as its upper left corner, width and height.
pub(super) fn xywh([x0, y0, x1, y1]: [f64; 4]) -> [f64; 4] {
    [x0, y0, x1 - x0, y1 - y0]
}

fn xyxy([x, y, w, h]: [f64; 4]) -> [f64; 4] {
    [x, y, x + w, y + h]
}

fn area([x0, y0, x1, y1]: [f64; 4]) -> f64 {
    (x1 - x0) * (y1 - y0)
}

/// Some tools write `true` where COCO has 1.
fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Flag {
        Bool(bool),
        Number(u8),
    }
    Ok(match Flag::deserialize(deserializer)? {
        Flag::Bool(set) => u8::from(set),
        Flag::Number(number) => number,
    })
}
