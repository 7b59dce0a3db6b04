//! What the loader and the evaluator ask of a data set.

use guard_core::GraphFree;
use guard_core::no_retain;
use image::RgbImage;

use super::DataError;

/// One image with its objects, in pixels.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Number of the image in its split.
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
    /// Number of the image in its split.
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
