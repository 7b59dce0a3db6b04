//! One image of the sheet.

use image::imageops::{self, FilterType};

use super::{IMAGE_SIDE, Sheet, Tile};
use crate::report::boxes::{BoxStyle, Boxes, shortened};
use crate::report::canvas::{Anchor, Canvas, TextStyle};
use crate::report::palette;

/// With more than seven detections, names would hide the image.
const STYLE: BoxStyle = BoxStyle { line: 3.5, text: 21.0, most_names: 7 };

/// Width and height of the image on the sheet: its longest side is `IMAGE_SIDE`; `(0, 0)` without a pixel.
pub(super) fn scaled_size(tile: &Tile) -> (u32, u32) {
    let (width, height) = tile.image.dimensions();
    if width == 0 || height == 0 {
        return (0, 0);
    }
    let scale = scale(tile);
    let side = |length: u32| ((length as f32 * scale).round() as u32).clamp(1, IMAGE_SIDE);
    (side(width), side(height))
}

fn scale(tile: &Tile) -> f32 {
    IMAGE_SIDE as f32 / tile.image.width().max(tile.image.height()) as f32
}

/// Draws the image into the cell `[left, top, right, bottom]`, the caption below it; gives the frame that the image
/// fills, `None` without a pixel.
pub(super) fn draw(canvas: &mut Canvas, tile: &Tile, cell: [u32; 4]) -> Option<[f32; 4]> {
    let [left, top, right, bottom] = cell;
    let style = TextStyle { size: 24.0, color: palette::MUTED, heavy: false };
    let caption = shortened(&tile.caption, (right - left) as f32, style.size);
    canvas.text(&caption, (left as f32, bottom as f32 + 19.0), Anchor::Left, style);
    let (width, height) = scaled_size(tile);
    if width == 0 {
        return None;
    }
    // The image stands in the middle of its cell.
    let (x, y) = (left + (right - left - width) / 2, top + (bottom - top - height) / 2);
    let scaled = imageops::resize(&tile.image, width, height, FilterType::CatmullRom);
    canvas.paste(&scaled, i64::from(x), i64::from(y));
    Some([x, y, x + width, y + height].map(|v| v as f32))
}

/// Outlines the ground truth in the colours of its classes.
pub(super) fn annotations(canvas: &mut Canvas, sheet: &Sheet, tile: &Tile, frame: [f32; 4]) {
    boxes(sheet, tile).draw_annotations(canvas, scale(tile), frame);
}

/// Outlines the detections, and the ground truth with dashes.
pub(super) fn detections(canvas: &mut Canvas, sheet: &Sheet, tile: &Tile, frame: [f32; 4]) {
    boxes(sheet, tile).draw(canvas, scale(tile), frame);
}

fn boxes<'a>(sheet: &'a Sheet, tile: &'a Tile) -> Boxes<'a> {
    let Tile { truth, detections, .. } = tile;
    Boxes { truth, detections, class_names: &sheet.class_names, style: STYLE }
}
