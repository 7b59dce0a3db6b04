//! COCO annotation files: `images`, `annotations` and `categories` in one JSON.
//!
//! As in the official code, crowds are not trained on but do count in the evaluation, boxes are clipped to their
//! image for training and taken as written for the evaluation, and images without objects are kept. Category ids
//! may have gaps: labels are the places of the categories in the order of their ids. Images come in the order of
//! theirs. The sizes in the file are trusted until an image is decoded and compared.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::decode::dimensions;
use super::faults::Faults;
use super::fit::{EDGES, Fit, fit};
use super::names::{image_path, is_plain};
use super::repairs::Repair;
use super::table::{Mark, Written};
use super::{DataError, FileSet};
use classes::Labels;
use parse::{Columns, Image};

mod classes;
mod folder;
mod parse;

pub(super) use folder::{LOOKED_FOR, SplitFile, splits};

/// Reads COCO annotation files.
#[derive(Debug, Clone, Copy)]
pub struct Coco;

impl Coco {
    /// Reads the annotation file `json` of `split`; the images lie in one of `folders`, tried in turn.
    ///
    /// Without `classes` the class list is what `categories` declares. Give a second split the class names of the
    /// first, so that the indices agree.
    ///
    /// # Errors
    /// A file that is missing or no such JSON; a field that is missing or of another type; no image; an id that
    /// is there twice; a category that is not declared or not in `classes`; an image that is not there, or whose
    /// name leads out of its folder.
    pub fn open(
        json: &Path,
        folders: &[PathBuf],
        split: &str,
        classes: Option<&[String]>,
    ) -> Result<FileSet, DataError> {
        let root = json.parent().unwrap_or(Path::new("."));
        let file = SplitFile { split: split.into(), json: json.into(), folders: folders.to_vec() };
        read(root, &file, classes, &mut Faults::stop())
    }
}

/// Reads a split; what `faults` lets pass is left out.
pub(super) fn read(
    root: &Path,
    file: &SplitFile,
    classes: Option<&[String]>,
    faults: &mut Faults,
) -> Result<FileSet, DataError> {
    let json = &file.json;
    let contents = parse::read(json)?;
    let mut set = FileSet::new(root, &file.split, json.clone());
    let labels = Labels::new(json, contents.categories, classes, &mut set, faults)?;
    let images = listed(json, contents.images, faults)?;
    if images.is_empty() {
        let way_out = "fill its list `images`";
        return Err(DataError::EmptySplit { split: file.split.clone(), path: json.clone(), way_out });
    }
    let folder = folder::holding(file, images.iter().map(|(_, image)| image.file_name.as_str()))?;
    let rows = rows_by_image(json, &images, &contents.annotations, &mut set);
    for ((place, image), rows) in images.into_iter().zip(rows) {
        let Some(path) = faults.pass(locate(json, &folder, place, &image))? else { continue };
        let Some(size) = faults.pass(size(json, place, &image, &path, &mut set))? else { continue };
        set.table.start_image(image.id, size);
        set.images.push(path);
        let objects = Objects { json, columns: &contents.annotations, labels: &labels, size };
        rows.into_iter().try_for_each(|row| objects.add(row as usize, &mut set, faults))?;
    }
    Ok(set)
}

/// The images with their places in the list, in the order of their ids, each id once.
fn listed(json: &Path, images: Vec<Image>, faults: &mut Faults) -> Result<Vec<(usize, Image)>, DataError> {
    let mut first = HashMap::with_capacity(images.len());
    let mut kept = Vec::with_capacity(images.len());
    for (place, image) in images.into_iter().enumerate() {
        let reason = match first.insert(image.id, place) {
            None if image.id >= 0 => {
                kept.push((place, image));
                continue;
            }
            None => format!("{}, expected at least 0", image.id),
            Some(before) => format!("{}, which `images[{before}]` has too: ids are unique", image.id),
        };
        let field = format!("images[{place}].id");
        faults.take(DataError::Value { path: json.into(), field, reason })?;
    }
    kept.sort_by_key(|(_, image)| image.id);
    Ok(kept)
}

/// The annotations of each image, in the order of the file.
fn rows_by_image(
    json: &Path,
    images: &[(usize, Image)],
    columns: &Columns,
    set: &mut FileSet,
) -> Vec<Vec<u32>> {
    let mut rows = vec![Vec::new(); images.len()];
    let mut ids = HashSet::with_capacity(columns.len());
    for row in 0..columns.len() {
        let place = |field: &str| format!("annotations[{row}].{field}");
        if columns.ids[row].is_some_and(|id| !ids.insert(id)) {
            set.repairs.count(Repair::RepeatedId, json, || place("id"));
        }
        match images.binary_search_by_key(&columns.image_ids[row], |(_, image)| image.id) {
            Ok(image) => rows[image].push(row as u32),
            Err(_) => set.repairs.count(Repair::ImageNotListed, json, || place("image_id")),
        }
    }
    rows
}

fn locate(json: &Path, folder: &Path, place: usize, image: &Image) -> Result<PathBuf, DataError> {
    let field = format!("images[{place}].file_name");
    if !is_plain(&image.file_name) {
        let found = image.file_name.clone();
        return Err(DataError::UnsafeName { path: json.into(), field, found });
    }
    let path = image_path(folder, &image.file_name);
    if path.is_file() {
        Ok(path)
    } else {
        Err(DataError::MissingImageFile { path, list: json.into(), field })
    }
}

/// The size that the file states, or that of the image where it states none.
fn size(
    json: &Path,
    place: usize,
    image: &Image,
    path: &Path,
    set: &mut FileSet,
) -> Result<[u32; 2], DataError> {
    match (image.width, image.height) {
        (Some(width), Some(height)) if width > 0 && height > 0 => Ok([width, height]),
        _ => {
            set.repairs.count(Repair::SizeTaken, json, || format!("images[{place}]"));
            dimensions(path)
        }
    }
}

/// What the objects of one image are made from.
struct Objects<'a> {
    json: &'a Path,
    columns: &'a Columns,
    labels: &'a Labels<'a>,
    size: [u32; 2],
}

impl Objects<'_> {
    fn add(&self, row: usize, set: &mut FileSet, faults: &mut Faults) -> Result<(), DataError> {
        let Some(label) = faults.pass(self.labels.of(self.columns.category_ids[row], row))? else {
            return Ok(());
        };
        let [left, top, width, height] = self.columns.boxes_xywh[row];
        let written =
            Written { box_xyxy: [left, top, left + width, top + height], area: self.area(row, set) };
        let Fit { kept, repair } = fit(written.box_xyxy, self.size);
        if let Some((repair, edge)) = repair {
            let spot = || format!("annotations[{row}].bbox ({})", EDGES[edge]);
            set.repairs.count(repair, self.json, spot);
        }
        if let Some(xyxy) = kept {
            let mark = if self.columns.crowds[row] { Mark::Crowd } else { Mark::Plain };
            set.table.push_written(label, xyxy, mark, written);
        }
        Ok(())
    }

    fn area(&self, row: usize, set: &mut FileSet) -> f64 {
        let area = self.columns.areas[row];
        if area < 0.0 {
            set.repairs.count(Repair::AreaTaken, self.json, || format!("annotations[{row}].area"));
            return f64::NAN;
        }
        area
    }
}
