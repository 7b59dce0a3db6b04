//! IoU crop: a window that keeps at least one object's centre and overlaps some object enough.

use std::ops::Range;

use guard_core::no_retain;
use rand::RngExt;
use rand_pcg::Pcg64;

/// A window in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crop {
    /// First column.
    pub left: u32,
    /// First row.
    pub top: u32,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

/// How often to crop; window shapes and overlaps are the official ones.
#[no_retain]
#[derive(Debug, Clone, PartialEq)]
pub struct IouCrop {
    /// Probability; official 0.8.
    pub probability: f64,
}

impl Default for IouCrop {
    fn default() -> Self {
        Self { probability: 0.8 }
    }
}

/// Least overlap of the window with some kept object, drawn anew after each [`TRIALS`] failures; `None`
/// leaves the image as it is.
const OVERLAPS: [Option<f32>; 7] = [Some(0.0), Some(0.1), Some(0.3), Some(0.5), Some(0.7), Some(0.9), None];
const TRIALS: usize = 40;
const SMALLEST: f32 = 0.3;
const ASPECTS: std::ops::RangeInclusive<f32> = 0.5..=2.0;

impl IouCrop {
    /// A window in an image of `size` (width, height), or `None` when the image stays as it is.
    ///
    /// An image without objects stays as it is at once, where the official code tries on until it draws that.
    pub fn draw(&self, size: [u32; 2], boxes_xyxy: &[[f32; 4]], rng: &mut Pcg64) -> Option<Crop> {
        if boxes_xyxy.is_empty() || !rng.random_bool(self.probability.clamp(0.0, 1.0)) {
            return None;
        }
        loop {
            let overlap = OVERLAPS[rng.random_range(0..OVERLAPS.len())]?;
            for _ in 0..TRIALS {
                let window = draw_window(size, rng);
                if let Some(window) = window.filter(|window| window.suits(boxes_xyxy, overlap)) {
                    return Some(window);
                }
            }
        }
    }
}

fn draw_window([width, height]: [u32; 2], rng: &mut Pcg64) -> Option<Crop> {
    let mut part = |side: u32| (side as f32 * (SMALLEST + (1.0 - SMALLEST) * rng.random::<f32>())) as u32;
    let (across, down) = (part(width), part(height));
    if across == 0 || down == 0 || !ASPECTS.contains(&(across as f32 / down as f32)) {
        return None;
    }
    let mut start = |slack: u32| (slack as f32 * rng.random::<f32>()) as u32;
    Some(Crop { left: start(width - across), top: start(height - down), width: across, height: down })
}

impl Crop {
    /// The window between two columns and two rows.
    pub(super) fn spanning(columns: &Range<u32>, rows: &Range<u32>) -> Self {
        let (width, height) = (columns.end - columns.start, rows.end - rows.start);
        Self { left: columns.start, top: rows.start, width, height }
    }

    /// Corners of the window.
    fn xyxy(self) -> [f32; 4] {
        [self.left, self.top, self.left + self.width, self.top + self.height].map(|edge| edge as f32)
    }

    /// Whether the centre of a box lies inside.
    pub(super) fn holds_centre(self, xyxy: &[f32; 4]) -> bool {
        let [left, top, right, bottom] = self.xyxy();
        let (x, y) = (0.5 * (xyxy[0] + xyxy[2]), 0.5 * (xyxy[1] + xyxy[3]));
        left < x && x < right && top < y && y < bottom
    }

    fn suits(self, boxes: &[[f32; 4]], overlap: f32) -> bool {
        let mut kept = boxes.iter().filter(|xyxy| self.holds_centre(xyxy)).peekable();
        kept.peek().is_some() && kept.map(|xyxy| iou(xyxy, &self.xyxy())).fold(0.0, f32::max) >= overlap
    }
}

fn iou(first: &[f32; 4], second: &[f32; 4]) -> f32 {
    let area = |[left, top, right, bottom]: [f32; 4]| (right - left).max(0.0) * (bottom - top).max(0.0);
    let shared = area([
        first[0].max(second[0]),
        first[1].max(second[1]),
        first[2].min(second[2]),
        first[3].min(second[3]),
    ]);
    shared / (area(*first) + area(*second) - shared)
}
