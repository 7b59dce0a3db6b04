//! One image of the sheet.

use image::imageops::{self, FilterType};

use super::labels::{self, Label};
use super::{IMAGE_SIDE, Sheet, Tile, Truth};
use crate::report::canvas::{Anchor, Canvas, TextStyle};
use crate::report::palette;

const DETECTION_WIDTH: f32 = 3.5;
const TRUTH_WIDTH: f32 = 1.8;
/// With more detections than this a tile shows scores without names.
const MOST_NAMES: usize = 7;
/// Length of a dash and of the gap after it.
const DASH: f32 = 7.0;

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
    let caption = labels::shortened(&tile.caption, (right - left) as f32, style.size);
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
    let place = |truth: &Truth| Some((truth.class, on_sheet(&truth.box_xyxy, scale(tile), frame)?));
    let truth: Vec<_> = tile.truth.iter().filter_map(place).collect();
    for (class, b) in &truth {
        canvas.stroke(&outline(b), DETECTION_WIDTH, palette::class_color(*class), 1.0);
    }
    let named = truth.iter().filter(|_| truth.len() <= MOST_NAMES).map(|(class, b)| Label {
        text: sheet.class_name(*class),
        color: palette::class_color(*class),
        beside: *b,
    });
    labels::draw(canvas, named, frame);
}

/// Outlines the detections, and the ground truth with dashes.
pub(super) fn detections(canvas: &mut Canvas, sheet: &Sheet, tile: &Tile, frame: [f32; 4]) {
    let place = |box_xyxy: &[f32; 4]| on_sheet(box_xyxy, scale(tile), frame);
    let truth: Vec<_> = tile.truth.iter().filter_map(|truth| place(&truth.box_xyxy)).collect();
    // A dark line under the white dashes keeps them visible on light images.
    truth.iter().for_each(|b| canvas.stroke(&outline(b), TRUTH_WIDTH + 2.0, [0, 0, 0], 0.45));
    let mut detections: Vec<_> =
        tile.detections.iter().filter_map(|d| Some((d, place(&d.box_xyxy)?))).collect();
    // The surest on top.
    detections.sort_by(|a, b| a.0.score.total_cmp(&b.0.score));
    for (detection, b) in &detections {
        canvas.stroke(&outline(b), DETECTION_WIDTH, palette::class_color(detection.class), 1.0);
    }
    for b in &truth {
        dashes(&outline(b)).iter().for_each(|dash| canvas.stroke(dash, TRUTH_WIDTH, palette::WHITE, 1.0));
    }
    // On crowded images names would hide the image; the colour tells the class.
    let name = |class| match detections.len() {
        0..=MOST_NAMES => sheet.class_name(class) + " ",
        _ => String::new(),
    };
    let wishes = detections.iter().rev().map(|(detection, b)| Label {
        text: format!("{}{:.2}", name(detection.class), detection.score),
        color: palette::class_color(detection.class),
        beside: *b,
    });
    labels::draw(canvas, wishes, frame);
}

/// A box of the image in pixels of the sheet, cut to the frame; `None` when a number is not finite.
fn on_sheet(box_xyxy: &[f32; 4], scale: f32, frame: [f32; 4]) -> Option<[f32; 4]> {
    let x = |v: f32| (frame[0] + v * scale).clamp(frame[0], frame[2]);
    let y = |v: f32| (frame[1] + v * scale).clamp(frame[1], frame[3]);
    let [left, top, right, bottom] = *box_xyxy;
    box_xyxy.iter().all(|v| v.is_finite()).then(|| [x(left), y(top), x(right), y(bottom)])
}

fn outline([left, top, right, bottom]: &[f32; 4]) -> [(f32, f32); 5] {
    [(*left, *top), (*right, *top), (*right, *bottom), (*left, *bottom), (*left, *top)]
}

/// The dashes along the sides; each side starts with one, so that corners are marked.
fn dashes(outline: &[(f32, f32); 5]) -> Vec<[(f32, f32); 2]> {
    let side = |pair: &[(f32, f32)]| {
        let (from, to) = (pair[0], pair[1]);
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        // An odd number of dashes and gaps ends the side with a dash.
        let parts = ((length / DASH / 2.0).round() * 2.0 + 1.0) as usize;
        let at = move |part: usize| {
            let share = part as f32 / parts as f32;
            (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1))
        };
        (0..parts).step_by(2).map(move |part| [at(part), at(part + 1)])
    };
    outline.windows(2).flat_map(side).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_cut_to_the_image() {
        let frame = [100.0, 50.0, 500.0, 450.0];
        assert_eq!(on_sheet(&[-5.0, 10.0, 999.0, 20.0], 2.0, frame), Some([100.0, 70.0, 500.0, 90.0]));
        assert_eq!(on_sheet(&[0.0, f32::NAN, 1.0, 1.0], 2.0, frame), None);
    }

    #[test]
    fn every_corner_carries_a_dash() {
        let outline = outline(&[0.0, 0.0, 100.0, 33.0]);
        let dashes = dashes(&outline);
        for corner in &outline[..4] {
            let near = |p: &(f32, f32)| (p.0 - corner.0).hypot(p.1 - corner.1) < 1e-3;
            assert_eq!(dashes.iter().flatten().filter(|p| near(p)).count(), 2, "{corner:?}");
        }
    }
}
