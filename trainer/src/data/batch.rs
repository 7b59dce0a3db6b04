//! What a training or evaluation step reads: plain numbers until the step asks for tensors.

use guard_core::no_retain;
use tch::{Device, Kind, Tensor};

use super::Example;
use crate::ops::Targets;

/// B images of one size with their objects; holds numbers only, so it cannot keep a graph.
#[no_retain]
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// Pixels, `[B, 3, side, side]`, row-major, RGB.
    pub pixels: Vec<u8>,
    /// Width and height of every image.
    pub side: u32,
    /// Class indices, image by image.
    pub labels: Vec<Vec<i64>>,
    /// Boxes as centre, width, height relative to the image, image by image.
    pub boxes_cxcywh: Vec<Vec<[f32; 4]>>,
    /// Number of each image in its split.
    pub image_ids: Vec<i64>,
    /// Width and height of each image before the transforms, for boxes in its own pixels.
    pub orig_sizes: Vec<[u32; 2]>,
}

impl Batch {
    /// Puts examples of one side together.
    ///
    /// # Panics
    /// When there is no example, or their sides differ: a [`super::Transform`] gives one side only.
    pub fn new(examples: Vec<Example>) -> Self {
        let side = examples.first().expect("a batch has an example").side;
        let plane = (side * side) as usize;
        let mut batch = Self::empty(side, examples.len() * 3 * plane);
        for example in examples {
            assert_eq!(example.side, side, "the images of a batch have one side");
            batch.pixels.extend_from_slice(&example.pixels);
            batch.labels.push(example.labels);
            batch.boxes_cxcywh.push(example.boxes_cxcywh);
            batch.image_ids.push(example.image_id);
            batch.orig_sizes.push(example.orig_size);
        }
        batch
    }

    fn empty(side: u32, bytes: usize) -> Self {
        Self {
            pixels: Vec::with_capacity(bytes),
            side,
            labels: Vec::new(),
            boxes_cxcywh: Vec::new(),
            image_ids: Vec::new(),
            orig_sizes: Vec::new(),
        }
    }

    /// Number of images, B.
    pub fn len(&self) -> usize {
        self.image_ids.len()
    }

    /// Whether there is no image.
    pub fn is_empty(&self) -> bool {
        self.image_ids.is_empty()
    }

    /// The pixels as `[B, 3, side, side]` of `Float`, 0 to 1 (the official code does not normalise further).
    pub fn images(&self, device: Device) -> Tensor {
        let side = i64::from(self.side);
        let bytes = Tensor::from_slice(&self.pixels).view([self.len() as i64, 3, side, side]);
        // The bytes travel to the device, a quarter of what floats would take.
        bytes.to_device(device).to_kind(Kind::Float) / 255.0
    }

    /// Width and height of each image before the transforms, as the post-processor takes them.
    pub fn sizes_wh(&self) -> Vec<(u32, u32)> {
        self.orig_sizes.iter().map(|&[width, height]| (width, height)).collect()
    }

    /// The objects as the matcher and the criterion read them.
    pub fn targets(&self, device: Device) -> Targets {
        Targets::new(&self.labels, &self.boxes_cxcywh, device)
    }
}
