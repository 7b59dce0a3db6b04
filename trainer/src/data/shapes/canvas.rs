//! A square picture in floating point, painted by signed distances.

use image::RgbImage;
use rand::Rng;
use rand_pcg::Pcg64;

use super::palette::{Colour, mix};

/// Pixels as red, green, blue in levels, not yet limited to 0 to 255.
pub(super) struct Canvas {
    side: usize,
    pixels: Vec<Colour>,
}

impl Canvas {
    /// Paints every pixel by its centre.
    pub(super) fn paint(side: u32, colour: impl Fn([f32; 2]) -> Colour) -> Self {
        let side = side as usize;
        let centre = |pixel: usize| [(pixel % side) as f32 + 0.5, (pixel / side) as f32 + 0.5];
        Self { side, pixels: (0..side * side).map(|pixel| colour(centre(pixel))).collect() }
    }

    /// Lays paint over the pixels of a box (left, top, right, bottom); `paint` gives colour and opacity.
    pub(super) fn cover(&mut self, bounds: [f32; 4], paint: impl Fn([f32; 2]) -> (Colour, f32)) {
        let limit = |edge: f32| edge.clamp(0.0, self.side as f32) as usize;
        let [left, top] = [limit(bounds[0].floor()), limit(bounds[1].floor())];
        let [right, bottom] = [limit(bounds[2].ceil()), limit(bounds[3].ceil())];
        for row in top..bottom {
            for column in left..right {
                let (colour, opacity) = paint([column as f32 + 0.5, row as f32 + 0.5]);
                if opacity > 0.0 {
                    let pixel = &mut self.pixels[row * self.side + column];
                    *pixel = mix(*pixel, colour, opacity.min(1.0));
                }
            }
        }
    }

    /// The colour at a point inside the picture.
    pub(super) fn at(&self, [x, y]: [f32; 2]) -> Colour {
        let place = |edge: f32| (edge.max(0.0) as usize).min(self.side - 1);
        self.pixels[place(y) * self.side + place(x)]
    }

    /// Adds noise of a standard deviation in levels and rounds to bytes.
    pub(super) fn develop(&self, noise: f32, rng: &mut Pcg64) -> RgbImage {
        // The sum of two uniform bytes: triangular, with a standard deviation of 104.5.
        let scale = noise / 104.5;
        let mut bytes = Vec::with_capacity(self.pixels.len() * 3);
        for pixel in &self.pixels {
            let random = rng.next_u64().to_le_bytes();
            for channel in 0..3 {
                let sum = f32::from(random[2 * channel]) + f32::from(random[2 * channel + 1]) - 255.0;
                bytes.push((pixel[channel] + sum * scale).round() as u8);
            }
        }
        let side = self.side as u32;
        RgbImage::from_raw(side, side, bytes).expect("three bytes a pixel were written")
    }
}

/// How much of a pixel lies inside an edge at a signed distance: the antialiasing.
pub(super) fn coverage(distance: f32) -> f32 {
    (0.5 - distance).clamp(0.0, 1.0)
}

/// A smooth step from 0 at `from` to 1 at `to`.
pub(super) fn smooth_step(from: f32, to: f32, x: f32) -> f32 {
    let part = ((x - from) / (to - from)).clamp(0.0, 1.0);
    part * part * (3.0 - 2.0 * part)
}
