//! An embedded data set: rendered scenes of five kinds of shapes, so that a first run needs no download.
//!
//! A scene has a gradient with uneven light, soft blobs, stray lines and arcs behind and in front, sensor
//! noise, and one to six shapes from small to large that may overlap. Each is drawn from a generator keyed by
//! (split, seed, index): the set takes no room, never changes, and the two splits never share a scene.

use guard_core::no_retain;

use super::seed::{Use, generator};
use super::{Annotations, DataError, Dataset, Sample};
use scene::Scene;

pub use outline::Kind;

mod backdrop;
mod canvas;
mod outline;
mod palette;
mod scene;

/// Which part of a data set.
#[no_retain]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    /// For training.
    Train,
    /// For evaluation.
    Val,
}

/// Side of the images of the main job, in pixels.
pub const DEFAULT_SIDE: u32 = 128;
/// Images of the validation split of the main job.
pub const VAL_IMAGES: usize = 200;
/// Images of the training split of the main job.
pub const TRAIN_IMAGES: usize = 2000;
/// Smallest side at which the smallest shapes can still be told apart.
const LEAST_SIDE: u32 = 32;

/// One split of the rendered set.
#[no_retain]
#[derive(Debug, Clone)]
pub struct Shapes {
    split: Split,
    seed: u64,
    len: usize,
    side: u32,
    classes: Vec<String>,
}

impl Shapes {
    /// `len` scenes of `side` by `side` pixels; scene `i` does not depend on `len`.
    ///
    /// # Errors
    /// When `len` is 0 or `side` is less than 32.
    pub fn new(split: Split, seed: u64, len: usize, side: u32) -> Result<Self, DataError> {
        let setting = |field, found: String, expected: &str| DataError::Setting {
            field,
            found,
            expected: expected.into(),
        };
        if len == 0 {
            return Err(setting("images in the data set", "0".into(), "at least 1"));
        }
        if side < LEAST_SIDE {
            return Err(setting("side", side.to_string(), "at least 32 pixels"));
        }
        let classes = Kind::ALL.iter().map(|kind| kind.name().to_owned()).collect();
        Ok(Self { split, seed, len, side, classes })
    }

    fn scene(&self, index: usize) -> Scene {
        assert!(index < self.len, "index {index} of {} scenes", self.len);
        let purpose = match self.split {
            Split::Train => Use::ShapesTrain,
            Split::Val => Use::ShapesVal,
        };
        Scene::draw(self.side, generator(purpose, self.seed, 0, index as u64))
    }
}

impl Dataset for Shapes {
    fn len(&self) -> usize {
        self.len
    }

    fn class_names(&self) -> &[String] {
        &self.classes
    }

    fn sample(&self, index: usize) -> Result<Sample, DataError> {
        let scene = self.scene(index);
        let (labels, boxes_xyxy) = scene.objects();
        Ok(Sample { image_id: index as i64, image: scene.render(), labels, boxes_xyxy })
    }

    fn annotations(&self, index: usize) -> Result<Annotations, DataError> {
        let (labels, boxes_xyxy) = self.scene(index).objects();
        let difficult = vec![false; labels.len()];
        Ok(Annotations { image_id: index as i64, size: [self.side; 2], labels, boxes_xyxy, difficult })
    }

    fn locate(&self, index: usize) -> String {
        format!("scene {index} of {}", self.name())
    }

    fn name(&self) -> String {
        let split = match self.split {
            Split::Train => "train",
            Split::Val => "val",
        };
        format!("shapes/{split}")
    }

    fn describe(&self) -> String {
        let objects: usize = (0..self.len).map(|index| self.scene(index).objects().0.len()).sum();
        format!(
            "{}: {} rendered images of {side}x{side} pixels (seed {}), {objects} objects, {} classes ({})",
            self.name(),
            self.len,
            self.seed,
            self.classes.len(),
            self.classes.join(", "),
            side = self.side,
        )
    }
}
