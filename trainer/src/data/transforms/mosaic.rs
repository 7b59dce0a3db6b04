//! Mosaic: four images around a point, scaled and moved together, seen through a window.
//!
//! The official repository has a mosaic that no configuration uses: it draws three images instead of the sample
//! and its partners, and leaves a quarter of the canvas black. Here the sample and three partners fill the four
//! quarters; scale, shift, window and filling are the official ones.

use guard_core::no_retain;
use image::imageops::replace;
use image::{Rgb, RgbImage};
use rand::RngExt;

use super::{Canvas, Key};
use crate::data::Sample;
use crate::data::seed::{Use, generator};

/// How often images are put together.
#[no_retain]
#[derive(Debug, Clone, PartialEq)]
pub struct Mosaic {
    /// Probability; with 0.5 every second image is a mosaic.
    pub probability: f64,
}

/// Grey level of what no image covers.
const FILLING: u8 = 114;
/// Most that the whole is shifted, relative to its side.
const SHIFT: f32 = 0.1;
const SCALES: std::ops::RangeInclusive<f32> = 0.5..=1.5;

/// The draws of one mosaic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arrangement {
    /// Factor on the four images, about the point where they meet.
    pub scale: f32,
    /// Shift across and down, relative to the side of the whole.
    pub shift: [f32; 2],
    /// Where the window begins, relative to the room it has.
    pub window: [f32; 2],
    /// Which images come beside the sample, as fractions of 2⁶⁴ of the set.
    partners: [u64; 3],
}

impl Mosaic {
    /// The arrangement of the sample that `key` names, or `None` when it stays alone.
    pub fn draw(&self, key: Key) -> Option<Arrangement> {
        let mut rng = generator(Use::Mosaic, key.seed, key.epoch, key.index);
        if !rng.random_bool(self.probability.clamp(0.0, 1.0)) {
            return None;
        }
        Some(Arrangement {
            scale: rng.random_range(SCALES),
            shift: std::array::from_fn(|_| rng.random_range(-SHIFT..=SHIFT)),
            window: rng.random(),
            partners: rng.random(),
        })
    }
}

impl Arrangement {
    /// Indices, in a set of `images`, of the three partners; the sample itself may be among them.
    pub fn partners(&self, images: usize) -> [usize; 3] {
        self.partners.map(|fraction| ((u128::from(fraction) * images as u128) >> 64) as usize)
    }

    /// Puts the sample and up to three partners together into an image of `side` by `side` pixels; boxes are cut
    /// at its edges, and one wholly outside becomes empty.
    pub fn compose(&self, sample: Sample, partners: Vec<Sample>, side: u32) -> Sample {
        let image_id = sample.image_id;
        let mut image = RgbImage::from_pixel(side, side, Rgb([FILLING; 3]));
        let (mut labels, mut boxes_xyxy) = (Vec::new(), Vec::new());
        for (quarter, member) in std::iter::once(sample).chain(partners).take(4).enumerate() {
            let (corner, size) = self.place(member.image.dimensions().into(), quarter, side);
            let member = Canvas::new(member).render(size);
            replace(&mut image, &member.image, i64::from(corner[0]), i64::from(corner[1]));
            labels.extend(member.labels);
            let [left, top] = corner.map(|edge| edge as f32);
            let cut = |edge: f32| edge.clamp(0.0, side as f32);
            let moved = |[l, t, r, b]: [f32; 4]| [l + left, t + top, r + left, b + top].map(cut);
            boxes_xyxy.extend(member.boxes_xyxy.into_iter().map(moved));
        }
        Sample { image_id, image, labels, boxes_xyxy }
    }

    /// Left, top and the size that an image of `size` gets in its quarter; the window begins at 0.
    fn place(&self, size: [u32; 2], quarter: usize, side: u32) -> ([i32; 2], [u32; 2]) {
        let side = side as f32;
        // Each image fits into a square of `side` and touches the point where the four meet.
        let fit = self.scale * side / size[0].max(size[1]) as f32;
        let size = size.map(|length| ((length as f32 * fit).round() as u32).max(1));
        let is_after = [quarter % 2 == 1, quarter / 2 == 1];
        let corner = std::array::from_fn(|axis| {
            let meeting = side + self.shift[axis] * 2.0 * side - self.window[axis] * side;
            let before = if is_after[axis] { 0 } else { size[axis] as i32 };
            meeting.round() as i32 - before
        });
        (corner, size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(level: u8, [width, height]: [u32; 2]) -> Sample {
        let image = RgbImage::from_pixel(width, height, Rgb([level; 3]));
        let whole = [0.0, 0.0, width as f32, height as f32];
        Sample { image_id: level.into(), image, labels: vec![level.into()], boxes_xyxy: vec![whole] }
    }

    #[test]
    fn four_images_meet_and_keep_their_boxes() {
        let centred = Arrangement { scale: 0.5, shift: [0.0; 2], window: [0.5; 2], partners: [0; 3] };
        let others = vec![plain(2, [40, 20]), plain(3, [20, 40]), plain(4, [10, 10])];
        let mosaic = centred.compose(plain(1, [80, 80]), others, 64);
        assert_eq!((mosaic.image.dimensions(), mosaic.image_id), ((64, 64), 1));
        assert_eq!(mosaic.labels, [1, 2, 3, 4]);
        let boxes = [
            [0.0, 0.0, 32.0, 32.0],
            [32.0, 16.0, 64.0, 32.0],
            [16.0, 32.0, 32.0, 64.0],
            [32.0, 32.0, 64.0, 64.0],
        ];
        assert_eq!(mosaic.boxes_xyxy, boxes);
        for (x, y, level) in
            [(31, 31, 1), (32, 31, 2), (31, 32, 3), (32, 32, 4), (40, 8, FILLING), (8, 40, FILLING)]
        {
            assert_eq!(mosaic.image.get_pixel(x, y).0, [level; 3], "{x},{y}");
        }
    }

    #[test]
    fn what_lies_outside_the_window_becomes_empty() {
        let corner = Arrangement { scale: 1.0, shift: [0.1; 2], window: [0.0; 2], partners: [0; 3] };
        let mosaic = corner.compose(plain(1, [64, 64]), vec![plain(2, [64, 64])], 64);
        assert_eq!(mosaic.boxes_xyxy, [[13.0, 13.0, 64.0, 64.0], [64.0, 13.0, 64.0, 64.0]]);
    }

    #[test]
    fn partners_are_spread_over_the_set() {
        let draws =
            (0..400).filter_map(|index| Mosaic { probability: 0.5 }.draw(Key { seed: 0, epoch: 0, index }));
        let arrangements: Vec<Arrangement> = draws.collect();
        assert!((150..250).contains(&arrangements.len()), "{} mosaics of 400", arrangements.len());
        let partners: Vec<usize> = arrangements.iter().flat_map(|a| a.partners(10)).collect();
        assert!((0..10).all(|image| partners.contains(&image)) && partners.iter().all(|&image| image < 10));
    }
}
