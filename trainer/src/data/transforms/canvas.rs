//! A sample under change: padding, cropping and mirroring only move numbers, and pixels are touched once, at the
//! end, where they reach the result.
//!
//! The official pipeline makes a new image at every step. The result is the same: colours change before anything
//! moves, and a resize reads what the image, the margins and the window say.

use image::RgbImage;

use super::planes::Planes;
use super::resize::{Axis, Painted, Placed, paint};
use super::{Crop, Distortion, Objects, Padding, to_cxcywh};
use crate::data::Sample;

/// An image somewhere on a black canvas, with the objects of the sample.
#[derive(Debug, Clone)]
pub struct Canvas {
    image_id: i64,
    image: RgbImage,
    distortion: Distortion,
    /// Width and height.
    size: [u32; 2],
    /// Which columns and rows of the image are left, and where they lie.
    placed: [Placed; 2],
    /// The canvas is read from right to left. `placed` counts from its first column all the same.
    mirrored: bool,
    labels: Vec<i64>,
    boxes_xyxy: Vec<[f32; 4]>,
}

impl Canvas {
    /// A canvas that the image fills.
    pub fn new(sample: Sample) -> Self {
        Self::distorted(sample, Distortion::default())
    }

    /// A canvas that the image fills, its colours changed.
    pub fn distorted(sample: Sample, distortion: Distortion) -> Self {
        let Sample { image_id, image, labels, boxes_xyxy } = sample;
        let size: [u32; 2] = image.dimensions().into();
        let placed = size.map(|length| Placed { source: 0..length, at: 0 });
        Self { image_id, image, distortion, size, placed, mirrored: false, labels, boxes_xyxy }
    }

    /// Width and height.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Boxes as left, top, right, bottom in pixels of the canvas.
    pub fn boxes_xyxy(&self) -> &[[f32; 4]] {
        &self.boxes_xyxy
    }

    /// Class indices, one a box.
    pub fn labels(&self) -> &[i64] {
        &self.labels
    }

    /// Adds black margins.
    pub fn pad(&mut self, Padding { left, top, right, bottom }: Padding) {
        self.size = [left + self.size[0] + right, top + self.size[1] + bottom];
        self.placed[0].at += if self.mirrored { right } else { left };
        self.placed[1].at += top;
        let (left, top) = (left as f32, top as f32);
        for xyxy in &mut self.boxes_xyxy {
            *xyxy = [xyxy[0] + left, xyxy[1] + top, xyxy[2] + left, xyxy[3] + top];
        }
    }

    /// Cuts a window out; boxes are cut with it, and one wholly outside becomes empty.
    pub fn crop(&mut self, Crop { left, top, width, height }: Crop) {
        let before = if self.mirrored { self.size[0] - left - width } else { left };
        self.placed[0].cut(before..before + width);
        self.placed[1].cut(top..top + height);
        self.size = [width, height];
        let limits = [width as f32, height as f32];
        for xyxy in &mut self.boxes_xyxy {
            for (edge, coordinate) in xyxy.iter_mut().enumerate() {
                let start = if edge % 2 == 0 { left } else { top } as f32;
                *coordinate = (*coordinate - start).clamp(0.0, limits[edge % 2]);
            }
        }
    }

    /// Cuts a window out and empties the boxes whose centre is outside, for [`Canvas::sanitise`] to remove.
    pub fn crop_around_objects(&mut self, window: Crop) {
        let inside: Vec<bool> = self.boxes_xyxy.iter().map(|xyxy| window.holds_centre(xyxy)).collect();
        self.crop(window);
        for (xyxy, inside) in self.boxes_xyxy.iter_mut().zip(inside) {
            if !inside {
                *xyxy = [0.0; 4];
            }
        }
    }

    /// Mirrors left to right.
    pub fn flip_horizontal(&mut self) {
        self.mirrored = !self.mirrored;
        let width = self.size[0] as f32;
        for xyxy in &mut self.boxes_xyxy {
            let [left, top, right, bottom] = *xyxy;
            *xyxy = [width - right, top, width - left, bottom];
        }
    }

    /// Removes objects whose box is narrower, lower or smaller than one pixel or reaches outside the canvas.
    pub fn sanitise(&mut self) {
        let [width, height] = self.size.map(|side| side as f32);
        let keep: Vec<bool> = self.boxes_xyxy.iter().map(|xyxy| is_sane(*xyxy, width, height)).collect();
        let mut kept = keep.iter().copied();
        self.boxes_xyxy.retain(|_| kept.next() == Some(true));
        let mut kept = keep.iter().copied();
        self.labels.retain(|_| kept.next() == Some(true));
    }

    /// The sample, resized to `size` (width, height, both at least 1), the aspect ratio ignored.
    pub fn render(mut self, size: [u32; 2]) -> Sample {
        let image = self.paint(size).into_image(size, self.mirrored);
        self.resize_boxes(size);
        Sample { image_id: self.image_id, image, labels: self.labels, boxes_xyxy: self.boxes_xyxy }
    }

    /// Resizes to a square, appends its pixels to a batch and gives a canvas of that size.
    pub(super) fn draw(mut self, side: u32, batch: &mut Planes) -> Self {
        let painted = self.paint([side; 2]);
        batch.append(&painted, side, self.mirrored);
        self.resize_boxes([side; 2]);
        self.size = [side; 2];
        self
    }

    /// The objects, relative to the canvas; `orig_size` is the size of the sample before the transforms.
    pub(super) fn into_objects(self, orig_size: [u32; 2]) -> Objects {
        let boxes_cxcywh = self.boxes_xyxy.iter().map(|xyxy| to_cxcywh(*xyxy, self.size)).collect();
        Objects { image_id: self.image_id, labels: self.labels, boxes_cxcywh, orig_size }
    }

    /// Changes the colours and resizes, unmirrored.
    fn paint(&mut self, size: [u32; 2]) -> Painted {
        let [across, down] = [0, 1].map(|axis| Axis::new(self.size[axis], &self.placed[axis], size[axis]));
        let [columns, rows] = &self.placed;
        self.distortion.apply_within(&mut self.image, Crop::spanning(&columns.source, &rows.source));
        paint(&self.image, &across, &down)
    }

    fn resize_boxes(&mut self, to: [u32; 2]) {
        let [across, down] = [0, 1].map(|axis| to[axis] as f32 / self.size[axis] as f32);
        for xyxy in &mut self.boxes_xyxy {
            *xyxy = [xyxy[0] * across, xyxy[1] * down, xyxy[2] * across, xyxy[3] * down];
        }
    }
}

fn is_sane([left, top, right, bottom]: [f32; 4], width: f32, height: f32) -> bool {
    let (across, down) = (right - left, bottom - top);
    let inside = left >= 0.0 && top >= 0.0 && right <= width && bottom <= height;
    across >= 1.0 && down >= 1.0 && across * down >= 1.0 && inside
}
