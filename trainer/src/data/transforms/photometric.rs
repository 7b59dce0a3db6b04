//! Photometric distortion: brightness, contrast, saturation, hue and the order of the channels.
//!
//! The arithmetic is Pillow's on 8-bit pixels, rounding included, because the official pipeline distorts
//! before it converts to floats.

use guard_core::no_retain;
use image::{Rgb, RgbImage};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

use super::hsv;

/// How often each change of colour happens; the ranges are the official ones.
#[no_retain]
#[derive(Debug, Clone, PartialEq)]
pub struct PhotometricDistort {
    /// Probability of each of the five changes; official 0.5.
    pub probability: f64,
}

impl Default for PhotometricDistort {
    fn default() -> Self {
        Self { probability: 0.5 }
    }
}

impl PhotometricDistort {
    /// Draws the changes of one image.
    pub fn draw(&self, rng: &mut Pcg64) -> Distortion {
        let probability = self.probability.clamp(0.0, 1.0);
        let maybe = |range, rng: &mut Pcg64| rng.random_bool(probability).then(|| rng.random_range(range));
        let mut channels = [0, 1, 2];
        channels.shuffle(rng);
        Distortion {
            brightness: maybe(0.875..=1.125, rng),
            contrast: maybe(0.5..=1.5, rng),
            saturation: maybe(0.5..=1.5, rng),
            hue: maybe(-0.05..=0.05, rng),
            contrast_before: rng.random(),
            channels: rng.random_bool(probability).then_some(channels),
        }
    }
}

/// The changes of one image; `None` leaves a property as it is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Distortion {
    /// Factor on every level.
    pub brightness: Option<f32>,
    /// Factor on the distance from the image's mean grey.
    pub contrast: Option<f32>,
    /// Factor on the distance from each pixel's own grey.
    pub saturation: Option<f32>,
    /// Turn of the colour circle, in turns.
    pub hue: Option<f32>,
    /// Contrast comes before saturation and hue, or after.
    pub contrast_before: bool,
    /// Which channel goes to red, green, blue.
    pub channels: Option<[usize; 3]>,
}

impl Distortion {
    /// Changes the pixels in place.
    pub fn apply(&self, image: &mut RgbImage) {
        if let Some(factor) = self.brightness {
            blend_with_level(image, 0, factor);
        }
        let (early, late) = if self.contrast_before { (self.contrast, None) } else { (None, self.contrast) };
        adjust_contrast(image, early);
        if let Some(factor) = self.saturation {
            adjust_saturation(image, factor);
        }
        if let Some(turn) = self.hue {
            turn_hue(image, turn);
        }
        adjust_contrast(image, late);
        if let Some(channels) = self.channels {
            image.pixels_mut().for_each(|pixel| pixel.0 = channels.map(|channel| pixel.0[channel]));
        }
    }
}

/// Moves every level away from (or towards) one level.
fn blend_with_level(image: &mut RgbImage, pivot: u8, factor: f32) {
    let table: Vec<u8> = (0..=255).map(|level| blend(pivot, level, factor)).collect();
    image.iter_mut().for_each(|level| *level = table[usize::from(*level)]);
}

fn adjust_contrast(image: &mut RgbImage, factor: Option<f32>) {
    let Some(factor) = factor else { return };
    let sum: u64 = image.pixels().map(|pixel| u64::from(grey(pixel))).sum();
    let pixels = u64::from(image.width()) * u64::from(image.height());
    let mean = (sum as f64 / pixels.max(1) as f64 + 0.5) as u8;
    blend_with_level(image, mean, factor);
}

fn adjust_saturation(image: &mut RgbImage, factor: f32) {
    for pixel in image.pixels_mut() {
        let pivot = grey(pixel);
        pixel.0 = pixel.0.map(|level| blend(pivot, level, factor));
    }
}

fn turn_hue(image: &mut RgbImage, turn: f32) {
    let shift = (f64::from(turn) * 255.0) as i32 as u8;
    for pixel in image.pixels_mut() {
        let [hue, saturation, value] = hsv::from_rgb(pixel.0);
        pixel.0 = hsv::to_rgb([hue.wrapping_add(shift), saturation, value]);
    }
}

/// Luma of ITU-R 601 in 16-bit fixed point, rounded.
fn grey(Rgb([red, green, blue]): &Rgb<u8>) -> u8 {
    let weighted = u32::from(*red) * 19595 + u32::from(*green) * 38470 + u32::from(*blue) * 7471;
    ((weighted + 0x8000) >> 16) as u8
}

/// `pivot` where the factor is 0, `level` where it is 1, straight on beyond; cut off to a level.
fn blend(pivot: u8, level: u8, factor: f32) -> u8 {
    (f32::from(pivot) + factor * (f32::from(level) - f32::from(pivot))) as u8
}
