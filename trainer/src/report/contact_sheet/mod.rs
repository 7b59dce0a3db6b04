//! `predictions.png`: images side by side, with ground truth and detections drawn on them.
//!
//! On crowded images the score stands alone: the legend tells the class by its colour.

mod legend;
mod tile;

use std::path::Path;

use guard_core::no_retain;
use image::RgbImage;

use super::ReportError;
use super::boxes::class_name;
use super::canvas::Canvas;

pub use super::boxes::{Detection, Truth};

/// Longest side of an image on the sheet, in pixels.
const IMAGE_SIDE: u32 = 400;
const GAP: u32 = 24;
const MARGIN: u32 = 40;
/// Above the images: title, caption, legend.
const HEAD: f32 = 118.0;
/// Below each image: its caption.
const CAPTION: u32 = 38;

/// One image with its boxes.
#[no_retain]
#[derive(Debug, Clone)]
pub struct Tile {
    /// The image in its own size; the sheet scales it.
    pub image: RgbImage,
    /// Stands below the image, such as the file name.
    pub caption: String,
    /// Objects that are there.
    pub truth: Vec<Truth>,
    /// Objects found, all of them drawn: the caller applies the score threshold.
    pub detections: Vec<Detection>,
}

/// A page of tiles.
#[no_retain]
#[derive(Debug, Clone)]
pub struct Sheet {
    /// Large, at the top.
    pub title: String,
    /// One line below the title: data set, epoch, score threshold.
    pub caption: String,
    /// By class index; a class beyond the list is shown as its number.
    pub class_names: Vec<String>,
    /// Images per row; at least 1.
    pub columns: usize,
    /// Row by row.
    pub tiles: Vec<Tile>,
}

impl Sheet {
    fn class_name(&self, class: usize) -> String {
        class_name(&self.class_names, class)
    }

    /// The classes on the sheet, in order.
    fn classes_shown(&self) -> Vec<usize> {
        let of_tile = |tile: &Tile| {
            let truth = tile.truth.iter().map(|truth| truth.class);
            truth.chain(tile.detections.iter().map(|detection| detection.class)).collect::<Vec<_>>()
        };
        let mut classes: Vec<usize> = self.tiles.iter().flat_map(of_tile).collect();
        classes.sort_unstable();
        classes.dedup();
        classes
    }

    fn columns(&self) -> u32 {
        self.columns.clamp(1, self.tiles.len()) as u32
    }

    fn width(&self) -> u32 {
        let images = self.columns() * (IMAGE_SIDE + GAP) - GAP;
        // Narrower sheets would cut the title off.
        images.max(3 * IMAGE_SIDE) + 2 * MARGIN
    }
}

/// What the outlines of a sheet are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    /// Detections in the colours of their classes, ground truth as white dashes.
    Detections,
    /// Ground truth in the colours of its classes.
    Annotations,
}

/// Draws the sheet and writes it as PNG.
///
/// Boxes are cut to their image; boxes that are not finite are left out. Images without a pixel stay blank.
///
/// # Errors
/// `Empty` without a tile; `Io` when the file cannot be written.
pub fn contact_sheet(path: &Path, sheet: &Sheet) -> Result<(), ReportError> {
    write(path, sheet, Content::Detections)
}

/// As [`contact_sheet`], for a data set without a model: the ground truth alone, in the colours of its classes.
///
/// # Errors
/// As [`contact_sheet`].
pub fn annotation_sheet(path: &Path, sheet: &Sheet) -> Result<(), ReportError> {
    write(path, sheet, Content::Annotations)
}

fn write(path: &Path, sheet: &Sheet, content: Content) -> Result<(), ReportError> {
    if sheet.tiles.is_empty() {
        return Err(ReportError::Empty { path: path.to_path_buf(), what: "image" });
    }
    let legend = legend::Legend::new(sheet, content, (sheet.width() - 2 * MARGIN) as f32);
    let images_top = (HEAD + legend.height()).ceil() as u32;
    // Wide images need less height than square ones.
    let image_height = sheet.tiles.iter().map(|tile| tile::scaled_size(tile).1).max().unwrap_or(IMAGE_SIDE);
    let row_height = image_height + CAPTION + GAP;
    let rows = sheet.tiles.len().div_ceil(sheet.columns() as usize) as u32;
    let mut canvas = Canvas::new(sheet.width(), images_top + rows * row_height + MARGIN - GAP);
    canvas.heading(&sheet.title, &sheet.caption, MARGIN as f32, [48.0, 92.0]);
    legend.draw(&mut canvas, (MARGIN as f32, HEAD));
    for (i, tile) in (0u32..).zip(&sheet.tiles) {
        let left = MARGIN + i % sheet.columns() * (IMAGE_SIDE + GAP);
        let top = images_top + i / sheet.columns() * row_height;
        let cell = [left, top, left + IMAGE_SIDE, top + image_height];
        match tile::draw(&mut canvas, tile, cell) {
            Some(frame) if content == Content::Annotations => {
                tile::annotations(&mut canvas, sheet, tile, frame)
            }
            Some(frame) => tile::detections(&mut canvas, sheet, tile, frame),
            None => {}
        }
    }
    canvas.save_png(path)
}
