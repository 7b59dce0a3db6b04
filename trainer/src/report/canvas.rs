//! An image with anti-aliased strokes and text.
//!
//! Strokes are drawn from the distance of each pixel to the line, which gives round joins, positions finer than
//! a pixel and even transparency where a line crosses itself.

use std::path::Path;

use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder, Rgb, RgbImage};
use imageproc::drawing::{draw_text_mut, text_size};

use super::coverage::Coverage;
use super::font::FONT;
use super::palette;
use super::{ReportError, atomic};

/// Distance from the top of a text box to the middle of its capitals, as a share of the text size.
const CAPITAL_MIDDLE: f32 = 0.522;

/// Which end of a text stands at the given x.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Left,
    Middle,
    Right,
}

/// Size, colour and stroke weight of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextStyle {
    /// Height of a line in pixels, from ascender to descender.
    pub(super) size: f32,
    pub(super) color: palette::Rgb,
    /// Draws the glyphs twice, half a pixel apart, for headings and small text on colour.
    pub(super) heavy: bool,
}

/// An image under construction; lengths are pixels, the origin is the top left corner.
pub(super) struct Canvas {
    image: RgbImage,
}

impl From<RgbImage> for Canvas {
    fn from(image: RgbImage) -> Self {
        Self { image }
    }
}

impl Canvas {
    pub(super) fn new(width: u32, height: u32) -> Self {
        Self { image: RgbImage::from_pixel(width, height, Rgb(palette::WHITE)) }
    }

    pub(super) fn into_image(self) -> RgbImage {
        self.image
    }

    pub(super) fn width(&self) -> f32 {
        self.image.width() as f32
    }

    pub(super) fn height(&self) -> f32 {
        self.image.height() as f32
    }

    /// Copies `source` with its top left corner at `(x, y)`; what lies outside is cut off.
    pub(super) fn paste(&mut self, source: &RgbImage, x: i64, y: i64) {
        image::imageops::replace(&mut self.image, source, x, y);
    }

    /// Fills a rectangle, cut to the image.
    pub(super) fn fill(&mut self, [left, top, right, bottom]: [f32; 4], color: palette::Rgb) {
        let clamp = |v: f32, high: u32| v.round().clamp(0.0, high as f32) as u32;
        let (width, height) = self.image.dimensions();
        for y in clamp(top, height)..clamp(bottom, height) {
            for x in clamp(left, width)..clamp(right, width) {
                self.image.put_pixel(x, y, Rgb(color));
            }
        }
    }

    /// Draws a line through `points`; `alpha` 1 is opaque.
    pub(super) fn stroke(&mut self, points: &[(f32, f32)], width: f32, color: palette::Rgb, alpha: f32) {
        let Some(mut coverage) = Coverage::around(points, width / 2.0, self.image.dimensions()) else {
            return;
        };
        points.windows(2).for_each(|pair| coverage.add_segment(pair[0], pair[1]));
        for (x, y, share) in coverage.shares() {
            self.blend(x, y, color, share * alpha);
        }
    }

    /// Draws a filled circle with a thin white rim that sets it off from the line it sits on.
    pub(super) fn dot(&mut self, center: (f32, f32), radius: f32, color: palette::Rgb) {
        for (radius, color) in [(radius + 1.5, palette::WHITE), (radius, color)] {
            self.stroke(&[center, center], 2.0 * radius, color, 1.0);
        }
    }

    /// Draws what a picture is called and, in grey, what it shows; `middles` are the heights of the two lines.
    pub(super) fn heading(&mut self, title: &str, subtitle: &str, left: f32, middles: [f32; 2]) {
        let style = TextStyle { size: 42.0, color: palette::INK, heavy: true };
        self.text(title, (left, middles[0]), Anchor::Left, style);
        let style = TextStyle { size: 27.0, color: palette::MUTED, heavy: false };
        self.text(subtitle, (left, middles[1]), Anchor::Left, style);
    }

    /// Draws one line of text whose capitals are centred on `middle`.
    pub(super) fn text(&mut self, text: &str, (x, middle): (f32, f32), anchor: Anchor, style: TextStyle) {
        let left = match anchor {
            Anchor::Left => x,
            Anchor::Middle => x - text_width(text, style.size) / 2.0,
            Anchor::Right => x - text_width(text, style.size),
        };
        let (left, top) = (left.round() as i32, (middle - CAPITAL_MIDDLE * style.size).round() as i32);
        let passes = if style.heavy { 2 } else { 1 };
        for _ in 0..passes {
            draw_text_mut(&mut self.image, Rgb(style.color), left, top, style.size, &*FONT, text);
        }
    }

    /// Draws one line of text upwards, its beginning at `bottom` and its capitals centred on `middle`.
    pub(super) fn text_upwards(&mut self, text: &str, (middle, bottom): (f32, f32), style: TextStyle) {
        let (length, height) = (text_width(text, style.size).ceil(), style.size.ceil());
        let mut lying = Self::new(length as u32 + 2, height as u32 + 2);
        lying.text(text, (0.0, height / 2.0), Anchor::Left, style);
        let standing = image::imageops::rotate270(&lying.image);
        self.paste(&standing, (middle - height / 2.0) as i64, (bottom - standing.height() as f32) as i64);
    }

    /// Writes the image as PNG, whole or not at all.
    pub(super) fn save_png(&self, path: &Path) -> Result<(), ReportError> {
        let (width, height) = self.image.dimensions();
        let mut png = Vec::new();
        PngEncoder::new(&mut png)
            .write_image(&self.image, width, height, ExtendedColorType::Rgb8)
            .map_err(ReportError::draw(path))?;
        atomic::write_file(path, |file| std::io::Write::write_all(file, &png))
    }

    fn blend(&mut self, x: u32, y: u32, color: palette::Rgb, share: f32) {
        let pixel = self.image.get_pixel_mut(x, y);
        for (old, new) in pixel.0.iter_mut().zip(color) {
            *old = (f32::from(*old) + (f32::from(new) - f32::from(*old)) * share).round() as u8;
        }
    }
}

/// Width of one line of text in pixels.
pub(super) fn text_width(text: &str, size: f32) -> f32 {
    text_size(size, &*FONT, text).0 as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stroke_on_pixel_edges_is_sharp() {
        let mut canvas = Canvas::new(10, 10);
        canvas.stroke(&[(-5.0, 5.0), (15.0, 5.0)], 2.0, [0, 0, 0], 1.0);
        let column: Vec<u8> = (0..10).map(|y| canvas.image.get_pixel(5, y).0[0]).collect();
        assert_eq!(column, [255, 255, 255, 255, 0, 0, 255, 255, 255, 255]);
    }

    #[test]
    fn a_line_that_crosses_itself_is_not_darker_there() {
        let mut canvas = Canvas::new(10, 10);
        canvas.stroke(&[(0.0, 5.0), (10.0, 5.0), (0.0, 5.0)], 2.0, [0, 0, 0], 0.5);
        assert_eq!(canvas.image.get_pixel(5, 4).0, [128; 3]);
    }

    #[test]
    fn drawing_outside_is_cut_off() {
        let mut canvas = Canvas::new(4, 4);
        canvas.fill([-10.0, -10.0, 2.0, 20.0], [1, 2, 3]);
        canvas.stroke(&[(-9.0, -9.0), (99.0, -9.0)], 3.0, [0, 0, 0], 1.0);
        assert_eq!(canvas.image.get_pixel(1, 3).0, [1, 2, 3]);
        assert_eq!(canvas.image.get_pixel(2, 3).0, palette::WHITE);
    }
}
