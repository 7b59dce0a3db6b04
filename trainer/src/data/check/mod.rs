//! Looks through a data set before hours are spent on it: every annotation and every pixel is read once.
//!
//! Faults stop a training run: unreadable images, annotations that cannot be trusted. Repairs and findings do not,
//! but change what is learnt: clipped and dropped boxes, the same picture in training and validation.

use guard_core::no_retain;
use serde::Serialize;

use super::repairs::Repairs;
use super::{DataError, FileSet, Layout};
use pictures::Pictures;

pub use counts::{ClassCount, Counts, ImageCount};
pub use histogram::Histogram;
pub use pictures::SamePicture;

mod counts;
mod histogram;
mod pictures;
mod text;

/// The splits that are looked through when none are named.
const USUAL: [&str; 3] = ["train", "val", "test"];

/// What was found in a data set; displays as text to read, serialises to JSON.
#[no_retain]
#[derive(Debug, Serialize)]
pub struct CheckReport {
    /// Kind of annotations and where they lie.
    pub data_set: String,
    /// One report for each split.
    pub splits: Vec<SplitReport>,
    /// Pictures that are in two splits, so that the evaluation would see what was trained on.
    pub shared_pictures: Vec<SamePicture>,
    /// What `trainer train` asks for and the data set lacks.
    pub missing_splits: Vec<String>,
}

impl CheckReport {
    /// Whether training on one of the splits would stop with an error.
    pub fn is_broken(&self) -> bool {
        self.splits.iter().any(|split| split.faults_in_all() > 0)
    }
}

/// What was found in one split.
#[no_retain]
#[derive(Debug, Serialize)]
pub struct SplitReport {
    /// Its name.
    pub name: String,
    /// Faults in the annotations, as the messages that training would end with.
    pub faults: Vec<String>,
    /// Images that cannot be decoded or are not of the annotated size.
    pub unreadable: Vec<String>,
    /// What the reader mended or left out.
    pub repairs: Repairs,
    /// Numbers of images and objects; of what could be read.
    pub counts: Option<Counts>,
    /// The same picture under two names.
    pub repeated_pictures: Vec<SamePicture>,
}

impl SplitReport {
    fn faults_in_all(&self) -> usize {
        self.faults.len() + self.unreadable.len()
    }
}

/// A check in progress, split by split.
#[no_retain]
pub struct Check<'a> {
    layout: &'a Layout,
    /// Class names of the first split that could be read.
    classes: Option<Vec<String>>,
    pictures: Pictures,
    splits: Vec<SplitReport>,
}

impl<'a> Check<'a> {
    /// A check of `layout` that has seen nothing yet.
    pub fn new(layout: &'a Layout) -> Self {
        Self { layout, classes: None, pictures: Pictures::default(), splits: Vec::new() }
    }

    /// The splits to look through: `named`, or the usual ones that are there, or all.
    pub fn splits(&self, named: &[String]) -> Vec<String> {
        if !named.is_empty() {
            return named.to_vec();
        }
        let there = self.layout.splits();
        let usual: Vec<String> =
            USUAL.iter().filter(|split| there.contains(split)).map(|&split| split.to_owned()).collect();
        if usual.is_empty() { there.into_iter().map(str::to_owned).collect() } else { usual }
    }

    /// Reads the annotations of a split; `None` when a fault leaves nothing to read.
    pub fn read(&mut self, split: &str) -> Option<FileSet> {
        match self.layout.survey(split, self.classes.as_deref()) {
            Ok((set, faults)) => {
                let classes = self.classes.get_or_insert_with(|| set.classes.clone());
                let counts = (!set.images.is_empty()).then(|| Counts::of(&set, classes));
                self.note(split, &faults, set.repairs.clone(), counts);
                Some(set)
            }
            Err(fault) => {
                self.note(split, &[fault], Repairs::default(), None);
                None
            }
        }
    }

    fn note(&mut self, split: &str, faults: &[DataError], repairs: Repairs, counts: Option<Counts>) {
        let faults = faults.iter().map(ToString::to_string).collect();
        let (name, unreadable, repeated_pictures) = (split.to_owned(), Vec::new(), Vec::new());
        self.splits.push(SplitReport { name, faults, unreadable, repairs, counts, repeated_pictures });
    }

    /// Decodes every image of the set read last, on all threads; `seen` is called after each.
    ///
    /// # Panics
    /// When no split was read.
    pub fn decode(&mut self, set: &FileSet, seen: &(dyn Fn() + Sync)) {
        let report = self.splits.last_mut().expect("a split was read");
        let (unreadable, repeated) = self.pictures.look_at(&report.name, set, seen);
        report.unreadable = unreadable;
        report.repeated_pictures = repeated;
    }

    /// Everything that was found.
    pub fn finish(self) -> CheckReport {
        let there = self.layout.splits();
        let needed = ["train", "val"].into_iter().filter(|split| !there.contains(split));
        CheckReport {
            data_set: self.layout.to_string(),
            missing_splits: needed.map(str::to_owned).collect(),
            shared_pictures: self.pictures.into_shared(),
            splits: self.splits,
        }
    }
}
