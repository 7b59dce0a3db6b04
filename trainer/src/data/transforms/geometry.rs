//! Flip, crop, pad and the removal of boxes that did not survive, on pixels and boxes together.

use image::RgbImage;
use image::imageops::{crop_imm, flip_horizontal_in_place, replace};

use super::{Crop, Padding};
use crate::data::Sample;

/// Mirrors a sample left to right.
pub fn flip_horizontal(sample: &mut Sample) {
    flip_horizontal_in_place(&mut sample.image);
    let width = sample.image.width() as f32;
    for xyxy in &mut sample.boxes_xyxy {
        let [left, top, right, bottom] = *xyxy;
        *xyxy = [width - right, top, width - left, bottom];
    }
}

/// Cuts a window out; boxes are cut with it, and one wholly outside becomes empty.
pub fn crop(sample: &mut Sample, window: Crop) {
    let Crop { left, top, width, height } = window;
    sample.image = crop_imm(&sample.image, left, top, width, height).to_image();
    let (right_end, bottom_end) = (width as f32, height as f32);
    for [left_edge, top_edge, right_edge, bottom_edge] in &mut sample.boxes_xyxy {
        for horizontal in [left_edge, right_edge] {
            *horizontal = (*horizontal - left as f32).clamp(0.0, right_end);
        }
        for vertical in [top_edge, bottom_edge] {
            *vertical = (*vertical - top as f32).clamp(0.0, bottom_end);
        }
    }
}

/// Adds black margins.
pub fn pad(sample: &mut Sample, padding: Padding) {
    let Padding { left, top, right, bottom } = padding;
    let (width, height) = sample.image.dimensions();
    let mut canvas = RgbImage::new(left + width + right, top + height + bottom);
    replace(&mut canvas, &sample.image, i64::from(left), i64::from(top));
    sample.image = canvas;
    let (left, top) = (left as f32, top as f32);
    for xyxy in &mut sample.boxes_xyxy {
        *xyxy = [xyxy[0] + left, xyxy[1] + top, xyxy[2] + left, xyxy[3] + top];
    }
}

/// Removes objects whose box is narrower, lower or smaller than one pixel or reaches outside the image.
pub fn sanitise(sample: &mut Sample) {
    let (width, height) = sample.image.dimensions();
    let keep: Vec<bool> =
        sample.boxes_xyxy.iter().map(|xyxy| is_sane(*xyxy, width as f32, height as f32)).collect();
    let mut kept = keep.iter().copied();
    sample.boxes_xyxy.retain(|_| kept.next() == Some(true));
    let mut kept = keep.iter().copied();
    sample.labels.retain(|_| kept.next() == Some(true));
}

fn is_sane([left, top, right, bottom]: [f32; 4], width: f32, height: f32) -> bool {
    let (across, down) = (right - left, bottom - top);
    let inside = left >= 0.0 && top >= 0.0 && right <= width && bottom <= height;
    across >= 1.0 && down >= 1.0 && across * down >= 1.0 && inside
}
