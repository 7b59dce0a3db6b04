//! Antialiased bilinear resize, the aspect ratio ignored.
//!
//! The same filter as Pillow's (a triangle widened by the reduction), in the same fixed-point arithmetic: the
//! fixtures agree within one level.

use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::U8x3;
use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};
use image::RgbImage;

use crate::data::Sample;

/// Resizes pixels and boxes to `size` (width, height), both at least 1.
pub fn resize(sample: &mut Sample, size: [u32; 2]) {
    let (width, height) = sample.image.dimensions();
    if size != [width, height] {
        sample.image = resize_image(&sample.image, size);
    }
    let (across, down) = (size[0] as f32 / width as f32, size[1] as f32 / height as f32);
    for xyxy in &mut sample.boxes_xyxy {
        *xyxy = [xyxy[0] * across, xyxy[1] * down, xyxy[2] * across, xyxy[3] * down];
    }
}

fn resize_image(image: &RgbImage, [width, height]: [u32; 2]) -> RgbImage {
    let source = TypedImageRef::<U8x3>::from_buffer(image.width(), image.height(), image.as_raw())
        .expect("an RGB image holds three bytes a pixel");
    let mut bytes = vec![0; (width * height * 3) as usize];
    let mut resized = TypedImage::<U8x3>::from_buffer(width, height, &mut bytes)
        .expect("the buffer holds three bytes a pixel");
    let bilinear =
        ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Bilinear)).use_alpha(false);
    Resizer::new().resize_typed(&source, &mut resized, &bilinear).expect("both images have pixels");
    RgbImage::from_raw(width, height, bytes).expect("the buffer holds three bytes a pixel")
}
