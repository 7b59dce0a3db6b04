//! One image in its own size with the detections drawn on it.

use image::RgbImage;

use super::boxes::{BoxStyle, Boxes, Detection};
use super::canvas::Canvas;

/// Draws `detections` on `image`, each with name and score; all of them: the caller applies the score threshold.
///
/// Colours go by class and are the same in every picture. Lines and letters grow with the image, so that they can be
/// read on the whole of it. Boxes are cut to the image; boxes that are not finite are left out.
pub fn draw_detections(image: RgbImage, detections: &[Detection], class_names: &[String]) -> RgbImage {
    let (width, height) = image.dimensions();
    let mut canvas = Canvas::from(image);
    let boxes = Boxes { truth: &[], detections, class_names, style: style(width, height) };
    boxes.draw(&mut canvas, 1.0, [0.0, 0.0, width as f32, height as f32]);
    canvas.into_image()
}

/// Small images need letters that are large for them; on large ones, letters of the same share would be huge.
fn style(width: u32, height: u32) -> BoxStyle {
    let text = 10.0 + 0.018 * width.max(height) as f32;
    BoxStyle { line: text / 7.0, text, most_names: usize::MAX }
}
