//! What a training or evaluation step reads: plain numbers until the step asks for tensors.

use guard_core::no_retain;
use tch::{Device, Kind, Tensor};

use super::{Example, Objects, Planes};
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
        let mut batch = Self::empty(side);
        for Example { image_id, pixels, side, labels, boxes_cxcywh, orig_size } in examples {
            assert_eq!(side, batch.side, "the images of a batch have one side");
            batch.pixels.extend_from_slice(&pixels);
            batch.push(Objects { image_id, labels, boxes_cxcywh, orig_size });
        }
        batch
    }

    /// Images that were appended one by one, with their objects in the same order.
    pub(super) fn from_planes(planes: Planes, objects: Vec<Objects>) -> Self {
        let mut batch = Self { side: planes.side(), ..Self::empty(0) };
        batch.pixels = planes.into_pixels();
        objects.into_iter().for_each(|objects| batch.push(objects));
        batch
    }

    fn empty(side: u32) -> Self {
        let (labels, boxes_cxcywh, image_ids, orig_sizes) = Default::default();
        Self { pixels: Vec::new(), side, labels, boxes_cxcywh, image_ids, orig_sizes }
    }

    fn push(&mut self, Objects { image_id, labels, boxes_cxcywh, orig_size }: Objects) {
        self.labels.push(labels);
        self.boxes_cxcywh.push(boxes_cxcywh);
        self.image_ids.push(image_id);
        self.orig_sizes.push(orig_size);
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
    ///
    /// To a CUDA device the bytes, a quarter of what floats would take, go through page-locked memory, and the call
    /// does not wait for them: libtorch orders the copy before what reads it and keeps the memory until then.
    pub fn images(&self, device: Device) -> Tensor {
        let side = i64::from(self.side);
        let size = [self.len() as i64, 3, side, side];
        let bytes = Tensor::from_data_size(&self.pixels, &size, Kind::Uint8);
        let bytes = match device {
            Device::Cuda(_) => bytes.pin_memory(device).to_device_(device, Kind::Uint8, true, false),
            _ => bytes.to_device(device),
        };
        let mut images = bytes.to_kind(Kind::Float);
        // In place: a batch of floats is large.
        images /= 255.0;
        images
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
