//! Photometric distortion: brightness, contrast, saturation, hue and the order of the channels.
//!
//! The arithmetic is Pillow's on 8-bit pixels, rounding included, because the official pipeline distorts
//! before it converts to floats.

use guard_core::no_retain;
use image::RgbImage;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

use super::Crop;
use super::tile::{Recolour, Table, blend, grey_sum};

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
        let (width, height) = image.dimensions();
        self.apply_within(image, Crop { left: 0, top: 0, width, height });
    }

    /// Changes the pixels in place, at least those inside `window`; the contrast still refers to the mean grey of
    /// the whole image.
    pub(super) fn apply_within(&self, image: &mut RgbImage, window: Crop) {
        let hue = self.hue.map(|turn| (f64::from(turn) * 255.0) as i32 as u8);
        let whole = Crop { left: 0, top: 0, width: image.width(), height: image.height() };
        let channels = self.channels.unwrap_or(IN_ORDER);
        let table = self.brightness.map_or(SAME_LEVELS, |factor| blend_table(0, factor));
        let first = Recolour { table, saturation: self.saturation, hue, channels };
        let Some(contrast) = self.contrast else { return recolour(image, window, &first) };
        if self.contrast_before || (self.saturation.is_none() && hue.is_none()) {
            let adjusted = blend_table(mean_grey(image, &table), contrast);
            let table = table.map(|level| adjusted[usize::from(level)]);
            return recolour(image, window, &Recolour { table, ..first });
        }
        recolour(image, whole, &Recolour { channels: IN_ORDER, ..first });
        let table = blend_table(mean_grey(image, &SAME_LEVELS), contrast);
        recolour(image, window, &Recolour { table, saturation: None, hue: None, channels });
    }
}

const IN_ORDER: [usize; 3] = [0, 1, 2];

const SAME_LEVELS: Table = {
    let mut table = [0; 256];
    let mut level = 0;
    while level < 256 {
        table[level] = level as u8;
        level += 1;
    }
    table
};

/// Moves every level away from (or towards) the pivot.
fn blend_table(pivot: u8, factor: f32) -> Table {
    std::array::from_fn(|level| blend(i32::from(pivot), level as i32, factor) as u8)
}

/// Mean grey, rounded, of the levels that the table gives.
fn mean_grey(image: &RgbImage, table: &Table) -> u8 {
    let pixels = u64::from(image.width()) * u64::from(image.height());
    let sum = grey_sum(image.as_raw(), table);
    (sum as f64 / pixels.max(1) as f64 + 0.5) as u8
}

fn recolour(image: &mut RgbImage, window: Crop, how: &Recolour) {
    let stride = image.width() as usize * 3;
    let columns = window.left as usize * 3..(window.left + window.width) as usize * 3;
    let rows = image.chunks_exact_mut(stride.max(1)).skip(window.top as usize).take(window.height as usize);
    rows.for_each(|row| how.apply(&mut row[columns.clone()]));
}

#[cfg(test)]
mod tests {
    use image::Rgb;

    use super::*;

    #[test]
    fn inside_a_window_the_pixels_are_those_of_the_whole_image() {
        let image = RgbImage::from_fn(150, 20, |x, y| Rgb([(x * 7) as u8, (y * 12) as u8, (x * y) as u8]));
        let window = Crop { left: 13, top: 4, width: 101, height: 9 };
        for number in 0..200 {
            let distortion = PhotometricDistort { probability: 0.6 }.draw(&mut Pcg64::new(number, 1));
            let (mut whole, mut part) = (image.clone(), image.clone());
            distortion.apply(&mut whole);
            distortion.apply_within(&mut part, window);
            for (y, x) in (4..13).flat_map(|y| (13..114).map(move |x| (y, x))) {
                assert_eq!(part.get_pixel(x, y), whole.get_pixel(x, y), "{distortion:?} at {x},{y}");
            }
        }
    }
}
