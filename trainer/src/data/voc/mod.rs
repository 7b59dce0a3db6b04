//! Pascal VOC folders: `Annotations/*.xml`, `ImageSets/Main/<split>.txt`, `JPEGImages/*.jpg`.
//!
//! Everything but the pixels is read and checked when the set is opened, so that a fault in the thousandth
//! file shows in the first second and not in the first epoch. Coordinates are taken as written (fractions
//! too), as the official reader does. What can be mended without guessing is mended, counted and reported
//! once by [`FileSet`]'s summary line: boxes that reach outside are clipped, boxes without area are dropped.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use super::decode::dimensions;
use super::faults::Faults;
use super::fit::{Fit, fit};
use super::repairs::Repair;
use super::table::Mark;
use super::{DataError, FileSet};
use split::Entry;
use xml::{Annotation, Object};

mod split;
mod xml;

/// Reads Pascal VOC folders.
#[derive(Debug, Clone, Copy)]
pub struct Voc;

impl Voc {
    /// Reads the annotations of `split` under `root`.
    ///
    /// Without `classes` the class list is what the split's annotations name, sorted. Give a second split the
    /// class names of the first, so that the indices agree.
    ///
    /// # Errors
    /// A missing folder, list, image or annotation; an empty split; broken XML; an element that is missing or
    /// holds no number; a size that is not the image's; a class that is not in `classes`; no object at all.
    pub fn open(root: &Path, split: &str, classes: Option<&[String]>) -> Result<FileSet, DataError> {
        read(root, split, classes, &mut Faults::stop())
    }

    /// Names of the splits that `root` lists, sorted.
    ///
    /// # Errors
    /// When a folder of the layout is missing.
    pub fn splits(root: &Path) -> Result<Vec<String>, DataError> {
        split::available(root)
    }
}

/// The layout, for messages.
pub(super) const LOOKED_FOR: &str =
    "  Pascal VOC: Annotations/*.xml, ImageSets/Main/train.txt and val.txt, JPEGImages/*.jpg";

/// Whether `root` has the folders, or some of them.
pub(super) fn is_likely(root: &Path) -> bool {
    ["Annotations", "ImageSets", "JPEGImages"].iter().any(|part| root.join(part).is_dir())
}

/// Reads a split; what `faults` lets pass is left out.
pub(super) fn read(
    root: &Path,
    split: &str,
    classes: Option<&[String]>,
    faults: &mut Faults,
) -> Result<FileSet, DataError> {
    let entries = split::entries(root, split, faults)?;
    let mut set = FileSet::new(root, split, split::list(root, split));
    let mut names = ClassNames { given: classes, met: Vec::new() };
    let mut seen = HashSet::new();
    for entry in &entries {
        if !seen.insert(&entry.image) {
            set.repairs.count(Repair::RepeatedImage, &split::list(root, split), || entry.name.clone());
            continue;
        }
        let result = read_image(&mut set, &mut names, entry, faults);
        faults.pass(result)?;
    }
    names.finish(&mut set);
    if set.classes.is_empty() {
        faults.take(DataError::NoObjects { split: split.into(), path: root.into() })?;
    }
    Ok(set)
}

fn read_image(
    set: &mut FileSet,
    names: &mut ClassNames<'_>,
    entry: &Entry,
    faults: &mut Faults,
) -> Result<(), DataError> {
    let annotation = xml::read(&entry.annotation)?;
    let size = dimensions(&entry.image)?;
    check_size(set, entry, &annotation, size)?;
    set.table.start_image(set.images.len() as i64, size);
    set.images.push(entry.image.clone());
    for object in &annotation.objects {
        if let Some(label) = faults.pass(names.label(entry, object))? {
            add(set, entry, object, label);
        }
    }
    Ok(())
}

/// Some annotation tools write 0 for a size they did not know; anything else must be the image's size.
fn check_size(
    set: &mut FileSet,
    entry: &Entry,
    annotation: &Annotation,
    size: [u32; 2],
) -> Result<(), DataError> {
    let (found, line) = (annotation.size, annotation.size_line);
    if found == [0, 0] {
        set.repairs.count(Repair::SizeTaken, &entry.annotation, || format!("line {line} <size>"));
    } else if found != size {
        let (path, image) = (entry.annotation.clone(), entry.image.clone());
        let spot = format!("line {line}: `<size>`");
        return Err(DataError::SizeMismatch { path, spot, image, found, expected: size });
    }
    Ok(())
}

fn add(set: &mut FileSet, entry: &Entry, object: &Object, label: usize) {
    let mark = if object.difficult { Mark::Difficult } else { Mark::Plain };
    let size = set.table.size(set.images.len() - 1);
    let Fit { kept, repair } = fit(object.xyxy, size);
    if let Some((repair, edge)) = repair {
        let spot = || format!("line {} {}", object.box_line, xml::EDGES[edge]);
        set.repairs.count(repair, &entry.annotation, spot);
    }
    if let Some(xyxy) = kept {
        set.table.push(label, xyxy, mark);
    }
}

/// The class list while it is met.
struct ClassNames<'a> {
    given: Option<&'a [String]>,
    /// Classes in the order they were met, when none are given.
    met: Vec<String>,
}

impl ClassNames<'_> {
    fn label(&mut self, entry: &Entry, object: &Object) -> Result<usize, DataError> {
        let known = self.given.unwrap_or(&self.met);
        if let Some(label) = known.iter().position(|name| *name == object.name) {
            return Ok(label);
        }
        if self.given.is_none() {
            self.met.push(object.name.clone());
            return Ok(self.met.len() - 1);
        }
        let (path, line, found) = (entry.annotation.clone(), object.name_line, object.name.clone());
        Err(DataError::UnknownClass { path, line, found, known: known.to_vec() })
    }

    /// Gives the set its final labels and class names.
    fn finish(self, set: &mut FileSet) {
        if let Some(given) = self.given {
            return set.set_classes(given.to_vec());
        }
        let sorted: Vec<String> = self.met.iter().cloned().collect::<BTreeSet<_>>().into_iter().collect();
        let place = |name| sorted.iter().position(|other| other == name).expect("sorted holds what was met");
        let places: Vec<u32> = self.met.iter().map(|name| place(name) as u32).collect();
        set.table.relabel(&places);
        set.set_classes(sorted);
    }
}
