//! The annotations of a data set in one flat table.

use std::ops::Range;

use guard_core::no_retain;

use super::{Annotations, TruthObject};

/// What an annotator said of an object besides class and box.
#[no_retain]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// Nothing.
    Plain,
    /// Hard to recognise; trained on all the same.
    Difficult,
    /// A group, for the evaluation only.
    Crowd,
}

/// The numbers of a box as a file states them, where the evaluation counts with those.
#[no_retain]
#[derive(Debug, Clone, Copy)]
pub(super) struct Written {
    pub(super) box_xyxy: [f64; 4],
    /// NaN is the area of the box.
    pub(super) area: f64,
}

/// All objects of a data set, image after image.
#[no_retain]
#[derive(Debug, Default)]
pub(super) struct AnnotationTable {
    /// Row after the last object of each image.
    ends: Vec<usize>,
    ids: Vec<i64>,
    sizes: Vec<[u32; 2]>,
    labels: Vec<u32>,
    boxes_xyxy: Vec<[f32; 4]>,
    marks: Vec<Mark>,
    /// One for each object, or none at all.
    written: Vec<Written>,
}

impl AnnotationTable {
    /// Opens the rows of the next image, `size` being its width and height.
    pub(super) fn start_image(&mut self, id: i64, size: [u32; 2]) {
        self.ends.push(self.labels.len());
        self.ids.push(id);
        self.sizes.push(size);
    }

    /// Adds an object to the image that was started last.
    pub(super) fn push(&mut self, label: usize, xyxy: [f32; 4], mark: Mark) {
        self.labels.push(u32::try_from(label).expect("a class index fits 32 bits"));
        self.boxes_xyxy.push(xyxy);
        self.marks.push(mark);
        *self.ends.last_mut().expect("an image was started") = self.labels.len();
    }

    /// Adds an object of a format whose own numbers are evaluated; then every object has to come this way.
    pub(super) fn push_written(&mut self, label: usize, xyxy: [f32; 4], mark: Mark, written: Written) {
        self.written.push(written);
        self.push(label, xyxy, mark);
    }

    /// The objects of an image that are trained on.
    pub(super) fn annotations(&self, index: usize) -> Annotations {
        let rows = || self.rows(index).filter(|&row| self.marks[row] != Mark::Crowd);
        Annotations {
            image_id: self.ids[index],
            size: self.sizes[index],
            labels: rows().map(|row| i64::from(self.labels[row])).collect(),
            boxes_xyxy: rows().map(|row| self.boxes_xyxy[row]).collect(),
            difficult: rows().map(|row| self.marks[row] == Mark::Difficult).collect(),
        }
    }

    /// The objects of an image that are evaluated.
    pub(super) fn truth(&self, index: usize) -> Vec<TruthObject> {
        self.rows(index).map(|row| self.truth_object(row)).collect()
    }

    fn truth_object(&self, row: usize) -> TruthObject {
        let as_used = || Written { box_xyxy: self.boxes_xyxy[row].map(f64::from), area: f64::NAN };
        let Written { box_xyxy, area } = self.written.get(row).copied().unwrap_or_else(as_used);
        TruthObject {
            label: i64::from(self.labels[row]),
            box_xyxy,
            area: Some(area).filter(|area| !area.is_nan()),
            crowd: self.marks[row] == Mark::Crowd,
        }
    }

    fn rows(&self, index: usize) -> Range<usize> {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[index]
    }

    /// Replaces every label by its place in the sorted class list.
    pub(super) fn relabel(&mut self, place: &[u32]) {
        for label in &mut self.labels {
            *label = place[*label as usize];
        }
    }

    pub(super) fn ids(&self) -> &[i64] {
        &self.ids
    }

    pub(super) fn size(&self, index: usize) -> [u32; 2] {
        self.sizes[index]
    }

    /// Objects that are trained on.
    pub(super) fn objects(&self) -> usize {
        self.labels.len() - self.marked(Mark::Crowd)
    }

    pub(super) fn marked(&self, mark: Mark) -> usize {
        self.marks.iter().filter(|&&found| found == mark).count()
    }
}
