//! Zoom-out: the image on a larger black canvas, so that objects become small.

use guard_core::no_retain;
use rand::RngExt;
use rand_pcg::Pcg64;

/// Margins in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Padding {
    /// On the left.
    pub left: u32,
    /// Above.
    pub top: u32,
    /// On the right.
    pub right: u32,
    /// Below.
    pub bottom: u32,
}

/// How often and how far to zoom out.
#[no_retain]
#[derive(Debug, Clone, PartialEq)]
pub struct ZoomOut {
    /// Probability; official 0.5.
    pub probability: f64,
    /// Largest canvas side relative to the image's; official 4.
    pub largest: f32,
}

impl Default for ZoomOut {
    fn default() -> Self {
        Self { probability: 0.5, largest: 4.0 }
    }
}

impl ZoomOut {
    /// Margins for an image of `size` (width, height), or `None` when it stays as it is.
    pub fn draw(&self, [width, height]: [u32; 2], rng: &mut Pcg64) -> Option<Padding> {
        if !rng.random_bool(self.probability.clamp(0.0, 1.0)) {
            return None;
        }
        let ratio = 1.0 + rng.random::<f32>() * (self.largest - 1.0).max(0.0);
        let slack = [width, height].map(|side| (side as f32 * ratio) as u32 - side);
        let [left, top] = slack.map(|slack| (slack as f32 * rng.random::<f32>()) as u32);
        Some(Padding { left, top, right: slack[0] - left, bottom: slack[1] - top })
    }
}
