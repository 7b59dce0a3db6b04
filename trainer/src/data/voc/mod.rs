//! Pascal VOC folders: `Annotations/*.xml`, `ImageSets/Main/<split>.txt`, `JPEGImages/*.jpg`.
//!
//! Everything but the pixels is read and checked when the set is opened, so that a fault in the thousandth
//! file shows in the first second and not in the first epoch. Coordinates are taken as written (fractions
//! too), as the official reader does. What can be mended without guessing is mended, counted and reported
//! once by [`Voc::describe`]: boxes that reach outside are clipped, boxes without area are dropped.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use guard_core::no_retain;

use super::decode::{decode, dimensions};
use super::table::AnnotationTable;
use super::{Annotations, DataError, Dataset, Sample};
use repairs::{Place, Repairs};
use split::Entry;
use xml::{Annotation, Object};

mod repairs;
mod split;
mod xml;

/// One split of a Pascal VOC folder.
#[no_retain]
#[derive(Debug)]
pub struct Voc {
    root: PathBuf,
    split: String,
    classes: Vec<String>,
    images: Vec<PathBuf>,
    table: AnnotationTable,
    repairs: Repairs,
}

impl Voc {
    /// Reads the annotations of `split` under `root`.
    ///
    /// Without `classes` the class list is what the split's annotations name, sorted. Give a second split the
    /// [`Dataset::class_names`] of the first, so that the indices agree.
    ///
    /// # Errors
    /// A missing folder, list, image or annotation; an empty split; broken XML; an element that is missing or
    /// holds no number; a size that is not the image's; a class that is not in `classes`; no object at all.
    pub fn open(root: &Path, split: &str, classes: Option<&[String]>) -> Result<Self, DataError> {
        let entries = split::entries(root, split)?;
        let mut reader = Reader::new(classes);
        for entry in &entries {
            reader.read(entry)?;
        }
        let (table, classes, repairs) = reader.finish();
        if classes.is_empty() {
            return Err(DataError::NoObjects { split: split.into(), path: root.into() });
        }
        let images = entries.into_iter().map(|entry| entry.image).collect();
        Ok(Self { root: root.into(), split: split.into(), classes, images, table, repairs })
    }

    /// Names of the splits that `root` lists, sorted.
    ///
    /// # Errors
    /// When a folder of the layout is missing.
    pub fn splits(root: &Path) -> Result<Vec<String>, DataError> {
        split::available(root)
    }

    /// The image file of a sample.
    pub fn image_path(&self, index: usize) -> &Path {
        &self.images[index]
    }
}

impl Dataset for Voc {
    fn len(&self) -> usize {
        self.table.images()
    }

    fn class_names(&self) -> &[String] {
        &self.classes
    }

    fn sample(&self, index: usize) -> Result<Sample, DataError> {
        let Annotations { image_id, labels, boxes_xyxy, .. } = self.table.annotations(index);
        Ok(Sample { image_id, image: decode(&self.images[index])?, labels, boxes_xyxy })
    }

    fn annotations(&self, index: usize) -> Result<Annotations, DataError> {
        Ok(self.table.annotations(index))
    }

    fn image_file(&self, index: usize) -> Option<&Path> {
        Some(self.image_path(index))
    }

    fn locate(&self, index: usize) -> String {
        format!("`{}`", self.images[index].display())
    }

    fn caption(&self, index: usize) -> String {
        self.image_path(index).file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn name(&self) -> String {
        let folder = self.root.file_name().unwrap_or(self.root.as_os_str());
        format!("{}/{}", folder.to_string_lossy(), self.split)
    }

    fn describe(&self) -> String {
        let (images, objects, classes) = (self.len(), self.table.objects(), self.classes.len());
        let mut line = format!("{}: {images} images, {objects} objects, {classes} classes", self.name());
        line += &format!(" ({})", self.classes.join(", "));
        let difficult = self.table.difficult_objects();
        if difficult > 0 {
            line += &format!(", {difficult} objects marked difficult");
        }
        line + &self.repairs.to_string()
    }
}

/// Gathers the table while annotation files are read.
struct Reader<'a> {
    given: Option<&'a [String]>,
    /// Classes in the order they were met, when none are given.
    met: Vec<String>,
    table: AnnotationTable,
    repairs: Repairs,
}

impl<'a> Reader<'a> {
    fn new(given: Option<&'a [String]>) -> Self {
        Self { given, met: Vec::new(), table: AnnotationTable::default(), repairs: Repairs::default() }
    }

    fn read(&mut self, entry: &Entry) -> Result<(), DataError> {
        let annotation = xml::read(&entry.annotation)?;
        let size = dimensions(&entry.image)?;
        self.check_size(entry, &annotation, size)?;
        self.table.start_image(size);
        annotation.objects.iter().try_for_each(|object| self.add(entry, object, size))
    }

    /// Some annotation tools write 0 for a size they did not know; anything else must be the image's size.
    fn check_size(
        &mut self,
        entry: &Entry,
        annotation: &Annotation,
        size: [u32; 2],
    ) -> Result<(), DataError> {
        let (path, line) = (entry.annotation.clone(), annotation.size_line);
        if annotation.size == [0, 0] {
            self.repairs.unsized_images.count(|| Place { path, line, field: "<size>" });
        } else if annotation.size != size {
            let (image, found) = (entry.image.clone(), annotation.size);
            return Err(DataError::SizeMismatch { path, line, image, found, expected: size });
        }
        Ok(())
    }

    fn add(&mut self, entry: &Entry, object: &Object, size: [u32; 2]) -> Result<(), DataError> {
        let label = self.label(entry, object)?;
        let limits = [size[0], size[1], size[0], size[1]].map(|side| side as f32);
        let mut xyxy = object.xyxy;
        for (edge, limit) in xyxy.iter_mut().zip(limits) {
            *edge = edge.clamp(0.0, limit);
        }
        let place = |field| Place { path: entry.annotation.clone(), line: object.box_line, field };
        if xyxy[2] <= xyxy[0] || xyxy[3] <= xyxy[1] {
            self.repairs.dropped.count(|| place(empty_field(xyxy)));
            return Ok(());
        }
        if let Some(side) = (0..4).find(|&side| xyxy[side] != object.xyxy[side]) {
            self.repairs.clipped.count(|| place(xml::EDGES[side]));
        }
        self.table.push(label, xyxy, object.difficult);
        Ok(())
    }

    fn label(&mut self, entry: &Entry, object: &Object) -> Result<i64, DataError> {
        let known = self.given.unwrap_or(&self.met);
        if let Some(label) = known.iter().position(|name| *name == object.name) {
            return Ok(label as i64);
        }
        if self.given.is_none() {
            self.met.push(object.name.clone());
            return Ok(self.met.len() as i64 - 1);
        }
        let (path, line, found) = (entry.annotation.clone(), object.name_line, object.name.clone());
        Err(DataError::UnknownClass { path, line, found, known: known.to_vec() })
    }

    /// The table with final labels, the classes, and what was mended.
    fn finish(mut self) -> (AnnotationTable, Vec<String>, Repairs) {
        if let Some(given) = self.given {
            return (self.table, given.to_vec(), self.repairs);
        }
        let sorted: Vec<String> = self.met.iter().cloned().collect::<BTreeSet<_>>().into_iter().collect();
        let place =
            |name| sorted.iter().position(|other| other == name).expect("sorted holds every class met");
        let places: Vec<i64> = self.met.iter().map(|name| place(name) as i64).collect();
        self.table.relabel(&places);
        (self.table, sorted, self.repairs)
    }
}

/// Which edges leave a box without area.
fn empty_field(xyxy: [f32; 4]) -> &'static str {
    if xyxy[2] <= xyxy[0] { "<xmax>" } else { "<ymax>" }
}
