//! What the loader and the evaluator ask of a data set.

use std::path::Path;

use guard_core::GraphFree;
use guard_core::no_retain;
use image::RgbImage;

use super::DataError;

/// One image with its objects, in pixels.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Number of the image, unique in its split: its own `id` in a COCO file, its index otherwise.
    pub image_id: i64,
    /// Pixels, RGB.
    pub image: RgbImage,
    /// Class indices, one per object.
    pub labels: Vec<i64>,
    /// Boxes as left, top, right, bottom in pixels; `boxes_xyxy[i]` belongs to `labels[i]`.
    pub boxes_xyxy: Vec<[f32; 4]>,
}

/// The ground truth of one image, without its pixels.
#[no_retain]
#[derive(Debug, Clone, PartialEq)]
pub struct Annotations {
    /// Number of the image, as in [`Sample::image_id`].
    pub image_id: i64,
    /// Width and height of the image in pixels.
    pub size: [u32; 2],
    /// Class indices, one per object.
    pub labels: Vec<i64>,
    /// Boxes as left, top, right, bottom in pixels.
    pub boxes_xyxy: Vec<[f32; 4]>,
    /// Whether the annotator marked the object as difficult; such objects are trained on like any other, as
    /// in the official code.
    pub difficult: Vec<bool>,
}

/// An object as the evaluation counts it.
#[no_retain]
#[derive(Debug, Clone, PartialEq)]
pub struct TruthObject {
    /// Class index.
    pub label: i64,
    /// Box as left, top, right, bottom in pixels, as it was written: not clipped, not rounded to `f32`.
    pub box_xyxy: [f64; 4],
    /// Area in square pixels that decides between small, medium and large; `None` is the area of the box.
    pub area: Option<f64>,
    /// Marks a group (`iscrowd` of COCO): never trained on, need not be found, detections in it do not count.
    pub crowd: bool,
}

/// A finite, indexable set of annotated images.
///
/// An index is valid from 0 to `len() - 1`; any other panics. Two calls with the same index give the same
/// sample, from any thread.
pub trait Dataset: GraphFree + Send + Sync {
    /// Number of images, at least 1.
    fn len(&self) -> usize;

    /// Whether there is no image at all.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Names of the classes, in the order of their indices.
    fn class_names(&self) -> &[String];

    /// Reads or renders one image with its objects.
    ///
    /// # Errors
    /// When the image cannot be read or decoded.
    fn sample(&self, index: usize) -> Result<Sample, DataError>;

    /// The objects of one image, without decoding it; equal to those of [`Dataset::sample`].
    ///
    /// # Errors
    /// When the annotations have to be read and cannot be.
    fn annotations(&self, index: usize) -> Result<Annotations, DataError>;

    /// What the evaluation compares detections of one image with; crowds are listed here and nowhere else.
    ///
    /// # Errors
    /// As [`Dataset::annotations`].
    fn truth(&self, index: usize) -> Result<Vec<TruthObject>, DataError> {
        let Annotations { labels, boxes_xyxy, .. } = self.annotations(index)?;
        let object = |(label, xyxy): (i64, [f32; 4])| TruthObject {
            label,
            box_xyxy: xyxy.map(f64::from),
            area: None,
            crowd: false,
        };
        Ok(labels.into_iter().zip(boxes_xyxy).map(object).collect())
    }

    /// The number that the data set itself gives to a class: the category id of a COCO file, else the label.
    fn category_id(&self, label: i64) -> i64 {
        label
    }

    /// The index of the image with this [`Sample::image_id`].
    fn index_of(&self, image_id: i64) -> Option<usize> {
        usize::try_from(image_id).ok().filter(|&index| index < self.len())
    }

    /// The file of one image; `None` for rendered images.
    fn image_file(&self, _index: usize) -> Option<&Path> {
        None
    }

    /// Where one image comes from, for messages: a file or a position in a generated set.
    fn locate(&self, index: usize) -> String;

    /// What stands below the image on a contact sheet.
    fn caption(&self, index: usize) -> String {
        self.locate(index)
    }

    /// A short name of the set and its split.
    fn name(&self) -> String;

    /// One line that says what was found: images, objects, classes, repairs.
    fn describe(&self) -> String;
}
