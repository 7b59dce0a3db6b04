//! Which classes are taken for which.

use guard_core::no_retain;
use serde::{Deserialize, Serialize};

/// How detections and objects of all classes meet, each detection with the object that it overlaps most.
///
/// Crowds are left out. The last row and column stand for the background: detections of nothing, objects missed.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConfusionMatrix {
    /// Names of the classes, by ascending category id.
    pub classes: Vec<String>,
    /// Least overlap of a detection with its object.
    pub iou_threshold: f64,
    /// Least score of a detection that counts.
    pub score_threshold: f64,
    /// `counts[truth][found]`, one row and one column for each class and the background.
    pub counts: Vec<Vec<u64>>,
}

impl ConfusionMatrix {
    /// A matrix of zeros.
    pub(super) fn new(classes: Vec<String>, iou_threshold: f64, score_threshold: f64) -> Self {
        let side = classes.len() + 1;
        Self { classes, iou_threshold, score_threshold, counts: vec![vec![0; side]; side] }
    }

    /// Adds the counts of further images.
    pub(super) fn add(&mut self, part: &hotcoco::ConfusionMatrix) {
        for (truth, row) in self.counts.iter_mut().enumerate() {
            for (found, count) in row.iter_mut().enumerate() {
                *count += part.get(truth, found);
            }
        }
    }

    /// Objects of class `truth`, found or not.
    pub fn objects(&self, truth: usize) -> u64 {
        self.counts[truth].iter().sum()
    }

    /// Objects found under their own class.
    pub fn correct(&self) -> u64 {
        (0..self.classes.len()).map(|class| self.counts[class][class]).sum()
    }

    /// Objects found under another class.
    pub fn confused(&self) -> u64 {
        let found: u64 = (0..self.classes.len()).map(|class| self.objects(class)).sum();
        found - self.correct() - self.missed()
    }

    /// Objects that no detection overlaps.
    pub fn missed(&self) -> u64 {
        (0..self.classes.len()).map(|class| self.counts[class][self.classes.len()]).sum()
    }

    /// Detections that overlap no object.
    pub fn spurious(&self) -> u64 {
        self.counts[self.classes.len()].iter().sum()
    }
}
