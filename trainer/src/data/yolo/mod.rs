//! YOLO folders: a `data.yaml` (or a `classes.txt`), images, and a text file of labels for each image.
//!
//! `images/train/a.jpg` is labelled by `labels/train/a.txt`; without a folder `images` in its path an image has its
//! labels beside it. A line is `class x y width height`, relative to the image; a polygon becomes the box around it.
//! An image whose label file is empty or missing has no objects.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::decode::dimensions;
use super::faults::Faults;
use super::fit::{EDGES, Fit, fit};
use super::repairs::Repair;
use super::table::Mark;
use super::{DataError, FileSet};
use label::{Grammar, Object};

mod folder;
mod label;
mod yaml;

pub(super) use folder::{LOOKED_FOR, YoloFolder, is_likely};

/// Reads YOLO folders.
#[derive(Debug, Clone, Copy)]
pub struct Yolo;

impl Yolo {
    /// Reads `split` of the data set at `path`: its folder or its `data.yaml`.
    ///
    /// The class list is that of the data set. Labels are renumbered when `classes`, another split's class names,
    /// has another order.
    ///
    /// # Errors
    /// A missing folder or class list; a split that is not there or has no image; an image that cannot be read; a
    /// label line with a wrong number of columns, an unknown class or coordinates that are no shares.
    pub fn open(path: &Path, split: &str, classes: Option<&[String]>) -> Result<FileSet, DataError> {
        read(&YoloFolder::find(path)?, split, classes, &mut Faults::stop())
    }
}

/// Reads a split; what `faults` lets pass is left out.
pub(super) fn read(
    folder: &YoloFolder,
    split: &str,
    classes: Option<&[String]>,
    faults: &mut Faults,
) -> Result<FileSet, DataError> {
    let images = folder.images(split, faults)?;
    let grammar = Grammar { classes: folder.classes.len(), keypoints: folder.keypoints };
    let read: Vec<Labelled> = images.par_iter().map(|image| Labelled::read(image, grammar)).collect();
    check_labels_found(&read)?;
    let mut set = FileSet::new(&folder.root, split, folder.source.clone());
    set.set_classes(classes.map_or_else(|| folder.classes.clone(), <[String]>::to_vec));
    let places = Places::new(folder, &set.classes);
    for labelled in read {
        labelled.add_to(&mut set, &places, faults)?;
    }
    count_strays(&mut set);
    Ok(set)
}

/// An image with its label file as read by one thread.
struct Labelled {
    image: PathBuf,
    labels: PathBuf,
    size: Result<[u32; 2], DataError>,
    /// `None` without a label file.
    objects: Result<Option<Vec<Result<Object, DataError>>>, DataError>,
}

impl Labelled {
    fn read(image: &Path, grammar: Grammar) -> Self {
        let labels = folder::label_path(image);
        let objects = match labels.exists() {
            true => label::read(&labels, grammar).map(Some),
            false => Ok(None),
        };
        Self { image: image.into(), size: dimensions(image), labels, objects }
    }

    fn add_to(self, set: &mut FileSet, places: &Places, faults: &mut Faults) -> Result<(), DataError> {
        let Self { image, labels, size, objects } = self;
        let (size, objects) = (faults.pass(size)?, faults.pass(objects)?);
        let (Some(size), Some(objects)) = (size, objects) else { return Ok(()) };
        if objects.is_none() {
            set.repairs.count(Repair::NoLabelFile, &image, String::new);
        }
        set.table.start_image(set.images.len() as i64, size);
        set.images.push(image);
        for object in objects.into_iter().flatten() {
            let Some(object) = faults.pass(object)? else { continue };
            if let Some(label) = faults.pass(places.label(&labels, &object))? {
                add(set, &labels, &object, label, size);
            }
        }
        Ok(())
    }
}

fn add(set: &mut FileSet, labels: &Path, object: &Object, label: usize, size: [u32; 2]) {
    let [width, height] = size.map(f64::from);
    let [left, top, right, bottom] = object.xyxy.map(onto_border);
    let Fit { kept, repair } = fit([left * width, top * height, right * width, bottom * height], size);
    if let Some((repair, edge)) = repair {
        set.repairs.count(repair, labels, || format!("line {} ({})", object.line, EDGES[edge]));
    }
    if let Some(xyxy) = kept {
        set.table.push(label, xyxy, Mark::Plain);
    }
}

/// Six decimals are usual: an edge that misses the border by their rounding lies on it.
fn onto_border(share: f64) -> f64 {
    const ROUNDING: f64 = 1e-6;
    let nearest = share.clamp(0.0, 1.0);
    if (share - nearest).abs() <= ROUNDING { nearest } else { share }
}

/// From the data set's class indices to those in use.
struct Places<'a> {
    folder: &'a YoloFolder,
    places: Vec<Option<usize>>,
    known: Vec<String>,
}

impl<'a> Places<'a> {
    fn new(folder: &'a YoloFolder, classes: &[String]) -> Self {
        let same = folder.classes == classes;
        let place = |(index, name): (usize, &String)| match same {
            true => Some(index),
            false => classes.iter().position(|class| class == name),
        };
        let places = folder.classes.iter().enumerate().map(place).collect();
        Self { folder, places, known: classes.to_vec() }
    }

    fn label(&self, labels: &Path, object: &Object) -> Result<usize, DataError> {
        self.places[object.class].ok_or_else(|| DataError::UnknownClass {
            path: labels.into(),
            line: object.line,
            found: self.folder.classes[object.class].clone(),
            known: self.known.clone(),
        })
    }
}

/// Not one label file is a wrong folder rather than a set without objects.
fn check_labels_found(read: &[Labelled]) -> Result<(), DataError> {
    match read.first() {
        Some(first) if read.iter().all(|labelled| matches!(labelled.objects, Ok(None))) => {
            let path = first.labels.parent().unwrap_or(Path::new(".")).to_path_buf();
            Err(DataError::NoLabels { path, labels: first.labels.clone(), images: read.len() })
        }
        _ => Ok(()),
    }
}

/// Counts label files that belong to no image.
fn count_strays(set: &mut FileSet) {
    let used: HashSet<PathBuf> = set.images.iter().map(|image| folder::label_path(image)).collect();
    let folders: HashSet<&Path> = used.iter().filter_map(|labels| labels.parent()).collect();
    let mut strays: Vec<PathBuf> = folders.into_iter().flat_map(folder::label_files).collect();
    strays.retain(|labels| !used.contains(labels));
    strays.sort();
    for stray in strays {
        set.repairs.count(Repair::NoImageFile, &stray, String::new);
    }
}
