//! Antialiased bilinear resize of a canvas that an image covers in part.
//!
//! The same filter as Pillow's (a triangle widened by the reduction), in the same fixed-point arithmetic: the
//! fixtures agree within one level. Black margins are not made: only the pixels of the result that the image
//! reaches are computed, with as much black beside the image as the filter reads.

use std::ops::Range;

use fast_image_resize::images::{TypedCroppedImage, TypedImage, TypedImageRef};
use fast_image_resize::pixels::U8x3;
use fast_image_resize::{FilterType, ImageView, ResizeAlg, ResizeOptions, Resizer};
use image::RgbImage;
use image::imageops::flip_horizontal_in_place;

/// The columns, or the rows, of an image that lie on a canvas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placed {
    /// Those of the image; none when it lies beside the canvas.
    pub(super) source: Range<u32>,
    /// Where the first of them lies on the canvas.
    pub(super) at: u32,
}

impl Placed {
    /// Cuts a window out of the canvas.
    pub(super) fn cut(&mut self, window: Range<u32>) {
        let first = self.at.max(window.start);
        let last = (self.at + self.source.len() as u32).min(window.end).max(first);
        let start = self.source.start + (first - self.at);
        *self = Self { source: start..start + (last - first), at: first - window.start };
    }
}

/// One axis of the resize, in pixels.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    /// The part of the image that lies on the canvas.
    source: Range<u32>,
    /// Black before and after that part that the filter reads.
    black: [u32; 2],
    /// The part of the result that the image reaches.
    reached: Range<u32>,
    /// What `reached` stands for, from the start of the first black.
    start: f64,
    extent: f64,
}

impl Axis {
    /// For a canvas of `canvas` pixels that becomes `to` pixels.
    pub(super) fn new(canvas: u32, Placed { source, at }: &Placed, to: u32) -> Self {
        if source.is_empty() {
            return Self { source: 0..0, black: [0; 2], reached: 0..0, start: 0.0, extent: 0.0 };
        }
        let (first, last) = (*at, at + source.len() as u32);
        let scale = f64::from(canvas) / f64::from(to);
        let radius = scale.max(1.0);
        // A pixel of the result has its centre half a pixel in; one more on either side does no harm.
        let from = ((f64::from(first) - radius) / scale - 0.5).floor().max(0.0);
        let until = ((f64::from(last) + radius) / scale + 0.5).ceil().min(f64::from(to));
        // Casts saturate at 0.
        let read_from = ((from * scale - radius) as u32).min(first);
        let read_until = ((until * scale + radius).ceil() as u32).clamp(last, canvas);
        let start = from * scale - f64::from(read_from);
        let extent = ((until - from) * scale).min(f64::from(read_until - read_from) - start);
        let black = [first - read_from, read_until - last];
        Self { source: source.clone(), black, reached: from as u32..until as u32, start, extent }
    }

    fn source_len(&self) -> u32 {
        self.source.len() as u32
    }

    fn reached_len(&self) -> u32 {
        self.reached.len() as u32
    }
}

/// Pixels of the result; all others are black.
#[derive(Debug)]
pub(super) struct Painted {
    /// Interleaved RGB, row by row.
    pixels: Vec<u8>,
    /// Columns of the result.
    pub(super) columns: Range<u32>,
    /// Rows of the result.
    rows: Range<u32>,
}

/// Resizes along both axes.
pub(super) fn paint(image: &RgbImage, across: &Axis, down: &Axis) -> Painted {
    let (columns, rows) = (across.reached.clone(), down.reached.clone());
    if columns.is_empty() || rows.is_empty() {
        return Painted { pixels: Vec::new(), columns: 0..0, rows: 0..0 };
    }
    let source = TypedImageRef::<U8x3>::from_buffer(image.width(), image.height(), image.as_raw())
        .expect("an RGB image holds three bytes a pixel");
    let (left, top) = (across.source.start, down.source.start);
    let visible = TypedCroppedImage::from_ref(&source, left, top, across.source_len(), down.source_len())
        .expect("the visible part lies in the image");
    let pixels = if across.black == [0; 2] && down.black == [0; 2] {
        resize(&visible, across, down)
    } else {
        resize(&with_black(&visible, across, down), across, down)
    };
    Painted { pixels, columns, rows }
}

fn resize(view: &impl ImageView<Pixel = U8x3>, across: &Axis, down: &Axis) -> Vec<u8> {
    let (width, height) = (across.reached_len(), down.reached_len());
    let mut pixels = vec![0; (width * height * 3) as usize];
    let mut resized = TypedImage::<U8x3>::from_buffer(width, height, &mut pixels)
        .expect("the buffer holds three bytes a pixel");
    let bilinear = ResizeOptions::new()
        .resize_alg(ResizeAlg::Convolution(FilterType::Bilinear))
        .crop(across.start, down.start, across.extent, down.extent)
        .use_alpha(false);
    Resizer::new().resize_typed(view, &mut resized, &bilinear).expect("the window lies in the image");
    pixels
}

/// The visible part with the black that the filter reads.
fn with_black(view: &impl ImageView<Pixel = U8x3>, across: &Axis, down: &Axis) -> TypedImage<'static, U8x3> {
    let [width, height] = [across, down].map(|axis| axis.black[0] + axis.source_len() + axis.black[1]);
    let mut framed = TypedImage::<U8x3>::new(width, height);
    let first = across.black[0] as usize;
    let targets = framed.pixels_mut().chunks_exact_mut(width as usize).skip(down.black[0] as usize);
    for (target, row) in targets.zip(view.iter_rows(0)) {
        target[first..first + row.len()].copy_from_slice(row);
    }
    framed
}

impl Painted {
    /// The painted pixels of a row of the result, when there are any.
    pub(super) fn row(&self, row: u32) -> Option<&[u8]> {
        let length = self.columns.len() * 3;
        let place = self.rows.contains(&row).then(|| (row - self.rows.start) as usize)?;
        Some(&self.pixels[place * length..][..length])
    }

    /// The whole result as an image of `size` (width, height).
    pub(super) fn into_image(self, size: [u32; 2], mirrored: bool) -> RgbImage {
        let [width, height] = size;
        let mut image = RgbImage::new(width, height);
        let (first, length) = (self.columns.start as usize * 3, self.columns.len() * 3);
        let targets = image.chunks_exact_mut(width as usize * 3).skip(self.rows.start as usize);
        for (target, row) in targets.zip(self.pixels.chunks_exact(length.max(1))) {
            target[first..first + length].copy_from_slice(row);
        }
        if mirrored {
            flip_horizontal_in_place(&mut image);
        }
        image
    }
}

#[cfg(test)]
mod tests {
    use image::imageops::replace;

    use super::*;

    /// Black margins made, as the official pipeline does.
    fn padded(image: &RgbImage, canvas: [u32; 2], origin: [i64; 2]) -> RgbImage {
        let mut whole = RgbImage::new(canvas[0], canvas[1]);
        replace(&mut whole, image, origin[0], origin[1]);
        whole
    }

    fn painted(image: &RgbImage, canvas: [u32; 2], origin: [i64; 2], to: [u32; 2]) -> RgbImage {
        let [across, down] = [(0, image.width()), (1, image.height())].map(|(axis, length)| {
            // A canvas that begins at `origin` at the latest, so that the window can cut the image.
            let (before, at) = ((-origin[axis]).max(0) as u32, origin[axis].max(0) as u32);
            let mut placed = Placed { source: 0..length, at };
            placed.cut(before..before + canvas[axis]);
            Axis::new(canvas[axis], &placed, to[axis])
        });
        paint(image, &across, &down).into_image(to, false)
    }

    #[test]
    fn margins_that_are_not_made_change_no_level_by_more_than_one() {
        let image = RgbImage::from_fn(61, 47, |x, y| {
            image::Rgb([
                (x * 83 + y * 31) as u8,
                (x * y) as u8,
                if (x / 4 + y / 5) % 2 == 0 { 250 } else { 3 },
            ])
        });
        let cases = [
            ([61, 47], [0, 0]),
            ([200, 150], [70, 50]),
            ([244, 188], [183, 141]),
            ([90, 60], [0, 13]),
            ([40, 30], [-11, -9]),
            ([40, 90], [-21, 20]),
            ([80, 20], [15, -5]),
            ([63, 49], [1, 1]),
        ];
        for (canvas, origin) in cases {
            for to in [[64, 64], [30, 20], [128, 97], [61, 47], canvas] {
                let plain = padded(&image, canvas, origin);
                let expected = painted(&plain, canvas, [0, 0], to);
                let actual = painted(&image, canvas, origin, to);
                let most = actual.as_raw().iter().zip(expected.as_raw()).map(|(a, e)| a.abs_diff(*e)).max();
                assert!(most <= Some(1), "{canvas:?} {origin:?} to {to:?} differs by {most:?}");
            }
        }
    }

    #[test]
    fn an_image_beside_the_canvas_leaves_it_black() {
        let image = RgbImage::from_pixel(5, 5, image::Rgb([200; 3]));
        assert_eq!(painted(&image, [20, 20], [20, 3], [8, 8]), RgbImage::new(8, 8));
    }
}
