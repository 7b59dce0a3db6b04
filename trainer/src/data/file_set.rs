//! One split of a data set that lies in files, whatever the format of its annotations.

use std::path::{Path, PathBuf};

use guard_core::no_retain;

use super::decode::decode;
use super::names::folder_name;
use super::repairs::Repairs;
use super::table::{AnnotationTable, Mark};
use super::{Annotations, DataError, Dataset, Sample, TruthObject};

/// Class names in a summary line before the rest is only counted.
const NAMES_SHOWN: usize = 12;

/// Image files with their annotations, in the order of the images' ids.
#[no_retain]
#[derive(Debug)]
pub struct FileSet {
    name: String,
    /// The file that states the sizes, for messages.
    source: PathBuf,
    pub(super) classes: Vec<String>,
    /// The data set's own number of each class.
    pub(super) category_ids: Vec<i64>,
    pub(super) images: Vec<PathBuf>,
    pub(super) table: AnnotationTable,
    pub(super) repairs: Repairs,
}

impl FileSet {
    /// An empty split of the data set at `root`, annotated by `source`.
    pub(super) fn new(root: &Path, split: &str, source: PathBuf) -> Self {
        Self {
            name: format!("{}/{split}", folder_name(root)),
            source,
            classes: Vec::new(),
            category_ids: Vec::new(),
            images: Vec::new(),
            table: AnnotationTable::default(),
            repairs: Repairs::default(),
        }
    }

    /// Sets classes that have no numbers of their own.
    pub(super) fn set_classes(&mut self, names: Vec<String>) {
        self.category_ids = (0..names.len() as i64).collect();
        self.classes = names;
    }

    /// The image file of a sample.
    pub fn image_path(&self, index: usize) -> &Path {
        &self.images[index]
    }

    /// What the reader mended or left out.
    pub fn repairs(&self) -> &Repairs {
        &self.repairs
    }

    /// The file that lists the images or their annotations.
    pub fn source(&self) -> &Path {
        &self.source
    }

    fn check_size(&self, index: usize, expected: [u32; 2]) -> Result<(), DataError> {
        let (found, image) = (self.table.size(index), self.images[index].clone());
        if found == expected {
            return Ok(());
        }
        let (path, spot) = (self.source.clone(), format!("image id {}", self.table.ids()[index]));
        Err(DataError::SizeMismatch { path, spot, image, found, expected })
    }
}

impl Dataset for FileSet {
    fn len(&self) -> usize {
        self.images.len()
    }

    fn class_names(&self) -> &[String] {
        &self.classes
    }

    fn sample(&self, index: usize) -> Result<Sample, DataError> {
        let image = decode(&self.images[index])?;
        self.check_size(index, image.dimensions().into())?;
        let Annotations { image_id, labels, boxes_xyxy, .. } = self.table.annotations(index);
        Ok(Sample { image_id, image, labels, boxes_xyxy })
    }

    fn annotations(&self, index: usize) -> Result<Annotations, DataError> {
        Ok(self.table.annotations(index))
    }

    fn truth(&self, index: usize) -> Result<Vec<TruthObject>, DataError> {
        Ok(self.table.truth(index))
    }

    fn category_id(&self, label: i64) -> i64 {
        self.category_ids[label as usize]
    }

    fn index_of(&self, image_id: i64) -> Option<usize> {
        self.table.ids().binary_search(&image_id).ok()
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
        self.name.clone()
    }

    fn describe(&self) -> String {
        let (images, objects, classes) = (self.len(), self.table.objects(), self.classes.len());
        let mut line = format!("{}: {images} images, {objects} objects, {classes} classes", self.name);
        let shown = &self.classes[..classes.min(NAMES_SHOWN)];
        let rest = if shown.len() < classes { ", …" } else { "" };
        line += &format!(" ({}{rest})", shown.join(", "));
        let (difficult, crowds) = (self.table.marked(Mark::Difficult), self.table.marked(Mark::Crowd));
        if difficult > 0 {
            line += &format!(", {difficult} objects marked difficult");
        }
        if crowds > 0 {
            line += &format!(", {crowds} crowds (evaluation only)");
        }
        line + &self.repairs.to_string()
    }
}
