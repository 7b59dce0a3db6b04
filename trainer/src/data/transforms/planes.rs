//! From interleaved pixels to one plane a channel, mirrored and brought to the side of the batch on the way.

use std::ops::Range;

use guard_core::no_retain;
use multiversion::multiversion;

use super::resize::Painted;

/// The pixels of a batch that is being put together, `[B, 3, side, side]`.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planes {
    side: u32,
    pixels: Vec<u8>,
}

impl Planes {
    /// No image yet, and room for `images` of `side` by `side` pixels.
    pub fn with_capacity(side: u32, images: usize) -> Self {
        Self { side, pixels: Vec::with_capacity(images * 3 * side as usize * side as usize) }
    }

    /// Width and height of the images.
    pub fn side(&self) -> u32 {
        self.side
    }

    /// The pixels, row-major, RGB.
    pub fn into_pixels(self) -> Vec<u8> {
        self.pixels
    }

    /// Appends an image of `drawn` by `drawn` pixels. Another side than that of the batch takes the nearest pixel,
    /// as the official collate function does.
    pub(super) fn append(&mut self, painted: &Painted, drawn: u32, mirrored: bool) {
        let plane = self.side as usize * self.side as usize;
        let start = self.pixels.len();
        self.pixels.resize(start + 3 * plane, 0);
        let columns = Columns::new(painted, drawn, mirrored, self.side);
        let (red, rest) = self.pixels[start..].split_at_mut(plane);
        let (green, blue) = rest.split_at_mut(plane);
        for row in 0..self.side {
            let Some(source) = painted.row(nearest(row, drawn, self.side)) else { continue };
            let at = (row * self.side) as usize;
            let reached = at + columns.reached.start..at + columns.reached.end;
            columns
                .split(source, [&mut *red, &mut *green, &mut *blue].map(|plane| &mut plane[reached.clone()]));
        }
    }
}

/// The column or row of `drawn` that stands at `place` of `side`.
fn nearest(place: u32, drawn: u32, side: u32) -> u32 {
    // In single precision, because the official code scales so.
    let scale = drawn as f32 / side as f32;
    ((place as f32 * scale) as u32).min(drawn - 1)
}

/// Which columns of an image go where.
struct Columns {
    /// Columns of the batch that the painted part reaches.
    reached: Range<usize>,
    /// First byte of the pixel for each of them; empty when they are the painted columns in order.
    picks: Vec<usize>,
    mirrored: bool,
}

impl Columns {
    fn new(painted: &Painted, drawn: u32, mirrored: bool, side: u32) -> Self {
        let Range { start, end } = painted.columns;
        if side == drawn {
            let (start, end) = if mirrored { (drawn - end, drawn - start) } else { (start, end) };
            return Self { reached: start as usize..end as usize, picks: Vec::new(), mirrored };
        }
        let source = |column| match nearest(column, drawn, side) {
            straight if mirrored => drawn - 1 - straight,
            straight => straight,
        };
        let mut columns = (0..side).filter(|&column| painted.columns.contains(&source(column))).peekable();
        let first = columns.peek().copied().unwrap_or(0) as usize;
        let picks: Vec<usize> = columns.map(|column| (source(column) - start) as usize * 3).collect();
        Self { reached: first..first + picks.len(), picks, mirrored }
    }

    fn split(&self, source: &[u8], targets: [&mut [u8]; 3]) {
        if self.picks.is_empty() {
            return split_in_order(source, targets, self.mirrored);
        }
        for (channel, target) in targets.into_iter().enumerate() {
            for (level, &pick) in target.iter_mut().zip(&self.picks) {
                *level = source[pick + channel];
            }
        }
    }
}

#[multiversion(targets("x86_64+avx2"))]
fn split_in_order(source: &[u8], [red, green, blue]: [&mut [u8]; 3], mirrored: bool) {
    for (((pixel, red), green), blue) in
        source.chunks_exact(3).zip(&mut *red).zip(&mut *green).zip(&mut *blue)
    {
        (*red, *green, *blue) = (pixel[0], pixel[1], pixel[2]);
    }
    if mirrored {
        [red, green, blue].into_iter().for_each(<[u8]>::reverse);
    }
}
