//! From a sample to what the network reads: the official training pipeline and its evaluation part.
//!
//! Training, in the official order: photometric distortion, zoom-out, IoU crop, sanitise, horizontal flip,
//! resize to a square, sanitise, boxes to normalised `cxcywh`. Each operation is drawn first and applied
//! second, so that the tests replay the official code's own draws. The draws themselves come from a
//! generator keyed by (seed, epoch, index) and not from PyTorch's.

use guard_core::{GraphFree, no_retain};
use rand::RngExt;

use super::seed::{Use, generator};
use super::{DataError, Sample};

pub use geometry::{crop, flip_horizontal, pad, sanitise};
pub use iou_crop::{Crop, IouCrop};
pub use photometric::{Distortion, PhotometricDistort};
pub use resize::resize;
pub use zoom_out::{Padding, ZoomOut};

mod geometry;
mod hsv;
mod iou_crop;
mod photometric;
mod resize;
mod zoom_out;

/// What the draws of one sample depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Seed of the run.
    pub seed: u64,
    /// Epoch, from 0.
    pub epoch: u64,
    /// Index of the sample in the data set.
    pub index: u64,
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

/// Turns a sample into an example of one fixed side; equal keys give equal results.
pub trait Transform: GraphFree + Send + Sync {
    /// Applies the transform with the draws of `key`.
    fn apply(&self, sample: Sample, key: Key) -> Example;
}

/// The official training pipeline, each random part with its switch.
#[no_retain]
#[derive(Debug, Clone, PartialEq)]
pub struct TrainTransforms {
    /// Width and height of the result.
    pub side: u32,
    /// Probability of a horizontal flip; official 0.5.
    pub flip: f64,
    /// Changes of colour; `None` is off.
    pub photometric: Option<PhotometricDistort>,
    /// Places the image on a larger black canvas; `None` is off.
    pub zoom_out: Option<ZoomOut>,
    /// Crops around objects; `None` is off.
    pub iou_crop: Option<IouCrop>,
    /// First epoch without photometric distortion, zoom-out and IoU crop (the official `stop_epoch`).
    pub strong_until: Option<u64>,
}

impl TrainTransforms {
    /// Everything on, with the official probabilities.
    pub fn official(side: u32) -> Self {
        Self {
            side,
            flip: 0.5,
            photometric: Some(PhotometricDistort::default()),
            zoom_out: Some(ZoomOut::default()),
            iou_crop: Some(IouCrop::default()),
            strong_until: None,
        }
    }

    /// Horizontal flips and nothing else: for short runs, where stronger augmentation costs more than it gives.
    pub fn flips_only(side: u32) -> Self {
        Self { side, flip: 0.5, photometric: None, zoom_out: None, iou_crop: None, strong_until: None }
    }

    /// Checks the settings, for values that come from a user.
    ///
    /// # Errors
    /// When the side is 0, a probability is not within 0 to 1, or zooming out would shrink the canvas.
    pub fn check(&self) -> Result<(), DataError> {
        let fault = |field, found: String, expected: &str| {
            Err(DataError::Setting { field, found, expected: expected.into() })
        };
        if self.side == 0 {
            return fault("side", "0".into(), "at least 1 pixel");
        }
        for (field, probability) in self.probabilities() {
            if let Some(found) = probability.filter(|probability| !(0.0..=1.0).contains(probability)) {
                return fault(field, found.to_string(), "a probability, 0 to 1");
            }
        }
        match self.zoom_out.as_ref().map(|part| part.largest) {
            Some(found) if !(1.0..=16.0).contains(&found) => {
                fault("zoom_out.largest", found.to_string(), "1 to 16 times the image")
            }
            _ => Ok(()),
        }
    }

    /// Every probability that is in use, by the name of its setting.
    fn probabilities(&self) -> [(&'static str, Option<f64>); 4] {
        [
            ("flip", Some(self.flip)),
            ("photometric.probability", self.photometric.as_ref().map(|part| part.probability)),
            ("zoom_out.probability", self.zoom_out.as_ref().map(|part| part.probability)),
            ("iou_crop.probability", self.iou_crop.as_ref().map(|part| part.probability)),
        ]
    }

    fn distort(&self, sample: &mut Sample, rng: &mut rand_pcg::Pcg64) {
        if let Some(photometric) = &self.photometric {
            photometric.draw(rng).apply(&mut sample.image);
        }
        if let Some(zoom_out) = &self.zoom_out
            && let Some(padding) = zoom_out.draw(sample.image.dimensions().into(), rng)
        {
            pad(sample, padding);
        }
        if let Some(iou_crop) = &self.iou_crop
            && let Some(window) = iou_crop.draw(sample, rng)
        {
            window.apply(sample);
        }
    }
}

impl Transform for TrainTransforms {
    fn apply(&self, mut sample: Sample, key: Key) -> Example {
        let orig_size = sample.image.dimensions().into();
        let mut rng = generator(Use::Transform, key.seed, key.epoch, key.index);
        if self.strong_until.is_none_or(|end| key.epoch < end) {
            self.distort(&mut sample, &mut rng);
        }
        sanitise(&mut sample);
        if rng.random_bool(self.flip.clamp(0.0, 1.0)) {
            flip_horizontal(&mut sample);
        }
        resize(&mut sample, [self.side, self.side]);
        sanitise(&mut sample);
        example(sample, orig_size)
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
    fn apply(&self, mut sample: Sample, _key: Key) -> Example {
        let orig_size = sample.image.dimensions().into();
        resize(&mut sample, [self.side, self.side]);
        example(sample, orig_size)
    }
}

/// Lays the pixels out plane by plane and normalises the boxes.
fn example(sample: Sample, orig_size: [u32; 2]) -> Example {
    let (width, height) = sample.image.dimensions();
    let boxes_cxcywh = sample.boxes_xyxy.iter().map(|xyxy| to_cxcywh(*xyxy, [width, height])).collect();
    let pixels = planes(sample.image.as_raw());
    Example { image_id: sample.image_id, pixels, side: width, labels: sample.labels, boxes_cxcywh, orig_size }
}

fn planes(interleaved: &[u8]) -> Vec<u8> {
    let mut planes = Vec::with_capacity(interleaved.len());
    for channel in 0..3 {
        planes.extend(interleaved.iter().skip(channel).step_by(3));
    }
    planes
}

/// Pixel corners to centre, width, height relative to an image of `size` (width, height).
pub fn to_cxcywh([left, top, right, bottom]: [f32; 4], [width, height]: [u32; 2]) -> [f32; 4] {
    let (width, height) = (width as f32, height as f32);
    let (across, down) = (right - left, bottom - top);
    [(left + right) / 2.0 / width, (top + bottom) / 2.0 / height, across / width, down / height]
}
