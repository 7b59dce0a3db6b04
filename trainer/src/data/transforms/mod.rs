//! What an image goes through before it is part of a batch, in the official order and with the official parameters.
//!
//! Training: photometric distortion, zoom-out, IoU crop, sanitise, horizontal flip, resize to a square, sanitise,
//! boxes to normalised `cxcywh`. Each operation is drawn first and applied second, so that the tests replay the
//! official code's own draws. The draws themselves come from a generator keyed by (seed, epoch, index) and not from
//! PyTorch's.

use guard_core::{GraphFree, no_retain};

use super::Sample;

pub use canvas::Canvas;
pub use iou_crop::{Crop, IouCrop};
pub use mosaic::{Arrangement, Mosaic};
pub use multi_scale::MultiScale;
pub use photometric::{Distortion, PhotometricDistort};
pub use planes::Planes;
pub use train::TrainTransforms;
pub use zoom_out::{Padding, ZoomOut};

mod canvas;
mod hsv;
mod iou_crop;
mod mosaic;
mod multi_scale;
mod photometric;
mod planes;
mod resize;
mod tile;
mod train;
mod zoom_out;

/// What the draws of one sample, or of one batch, depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Seed of the run.
    pub seed: u64,
    /// Epoch, from 0.
    pub epoch: u64,
    /// Index of the sample in the data set, or of the batch in its epoch.
    pub index: u64,
}

/// The objects of one image, as the criterion reads them.
#[no_retain]
#[derive(Debug, Clone, PartialEq)]
pub struct Objects {
    /// Number of the image in its split.
    pub image_id: i64,
    /// Class indices, one per object.
    pub labels: Vec<i64>,
    /// Boxes as centre, width, height relative to the image.
    pub boxes_cxcywh: Vec<[f32; 4]>,
    /// Width and height of the sample before any transform.
    pub orig_size: [u32; 2],
}

/// One image as the network reads it.
#[no_retain]
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// Number of the image in its split.
    pub image_id: i64,
    /// Pixels, `[3, side, side]`, row-major, RGB.
    pub pixels: Vec<u8>,
    /// Width and height.
    pub side: u32,
    /// Class indices, one per object.
    pub labels: Vec<i64>,
    /// Boxes as centre, width, height relative to the image.
    pub boxes_cxcywh: Vec<[f32; 4]>,
    /// Width and height of the sample before any transform.
    pub orig_size: [u32; 2],
}

/// Turns samples into images of one side; equal keys give equal results.
pub trait Transform: GraphFree + Send + Sync {
    /// Width and height of the result where the batch does not say otherwise.
    fn side(&self) -> u32;

    /// Width and height of the images of the batch that `key` names.
    fn batch_side(&self, _key: Key) -> u32 {
        self.side()
    }

    /// Which other samples of a set of `images` the sample that `key` names is put together with.
    fn partners(&self, _key: Key, _images: usize) -> Vec<usize> {
        Vec::new()
    }

    /// Applies the transform with the draws of `key` and appends the image to the batch; `partners` are the
    /// samples that [`Transform::partners`] asked for, or none, which leaves the sample alone.
    fn append(&self, sample: Sample, partners: Vec<Sample>, key: Key, batch: &mut Planes) -> Objects;

    /// Applies the transform to a single sample.
    fn apply(&self, sample: Sample, key: Key) -> Example {
        let mut planes = Planes::with_capacity(self.side(), 1);
        let Objects { image_id, labels, boxes_cxcywh, orig_size } =
            self.append(sample, Vec::new(), key, &mut planes);
        Example { image_id, pixels: planes.into_pixels(), side: self.side(), labels, boxes_cxcywh, orig_size }
    }
}

/// Resize alone, as at evaluation; keeps every box.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvalTransforms {
    /// Width and height of the result.
    pub side: u32,
}

impl Transform for EvalTransforms {
    fn side(&self) -> u32 {
        self.side
    }

    fn append(&self, sample: Sample, _partners: Vec<Sample>, _key: Key, batch: &mut Planes) -> Objects {
        let orig_size = sample.image.dimensions().into();
        Canvas::new(sample).draw(self.side, batch).into_objects(orig_size)
    }
}

/// Pixel corners to centre, width, height relative to an image of `size` (width, height).
pub fn to_cxcywh([left, top, right, bottom]: [f32; 4], [width, height]: [u32; 2]) -> [f32; 4] {
    let (width, height) = (width as f32, height as f32);
    let (across, down) = (right - left, bottom - top);
    [(left + right) / 2.0 / width, (top + bottom) / 2.0 / height, across / width, down / height]
}
