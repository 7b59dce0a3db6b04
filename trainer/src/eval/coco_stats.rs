//! The numbers of a COCO evaluation.

use guard_core::no_retain;
use hotcoco::COCOeval;
use serde::{Deserialize, Serialize};

use super::Category;

/// The twelve summary numbers in COCO's order and names; -1 where no object of that size exists.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CocoStats {
    /// Average precision over IoU 0.50 to 0.95.
    pub ap: f64,
    /// Average precision at IoU 0.50.
    pub ap50: f64,
    /// Average precision at IoU 0.75.
    pub ap75: f64,
    /// Average precision of objects below 32 x 32 pixels.
    pub ap_small: f64,
    /// Average precision of objects between 32 x 32 and 96 x 96 pixels.
    pub ap_medium: f64,
    /// Average precision of objects above 96 x 96 pixels.
    pub ap_large: f64,
    /// Average recall with one detection an image.
    pub ar1: f64,
    /// Average recall with ten detections an image.
    pub ar10: f64,
    /// Average recall with a hundred detections an image.
    pub ar100: f64,
    /// Average recall of small objects.
    pub ar_small: f64,
    /// Average recall of medium objects.
    pub ar_medium: f64,
    /// Average recall of large objects.
    pub ar_large: f64,
    /// The classes one by one, by ascending category id.
    pub per_class: Vec<ClassStats>,
}

/// The numbers of one class.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassStats {
    /// Category id.
    pub id: i64,
    /// Category name.
    pub name: String,
    /// Objects that count: those that are no crowd.
    pub objects: usize,
    /// Average precision over IoU 0.50 to 0.95; -1 without objects.
    pub ap: f64,
    /// Average precision at IoU 0.50; -1 without objects.
    pub ap50: f64,
    /// Average precision at IoU 0.75; -1 without objects.
    pub ap75: f64,
    /// Average recall with a hundred detections an image; -1 without objects.
    pub ar100: f64,
}

impl CocoStats {
    /// The twelve numbers under the names that COCO tools print.
    pub fn named(&self) -> [(&'static str, f64); 12] {
        [
            ("AP", self.ap),
            ("AP50", self.ap50),
            ("AP75", self.ap75),
            ("APs", self.ap_small),
            ("APm", self.ap_medium),
            ("APl", self.ap_large),
            ("AR1", self.ar1),
            ("AR10", self.ar10),
            ("AR100", self.ar100),
            ("ARs", self.ar_small),
            ("ARm", self.ar_medium),
            ("ARl", self.ar_large),
        ]
    }

    /// Reads a finished evaluation; `objects[k]` counts the objects of `categories[k]`, which ascend by id.
    pub(super) fn read(evaluation: &COCOeval, categories: &[Category], objects: &[usize]) -> Self {
        let stats = evaluation.stats().expect("the evaluation was summarized");
        let stats: [f64; 12] = stats.try_into().expect("a box evaluation has twelve numbers");
        let [ap, ap50, ap75, ap_small, ap_medium, ap_large, ar1, ar10, ar100, ar_small, ar_medium, ar_large] =
            stats;
        let per_class = categories.iter().zip(objects).enumerate();
        let per_class =
            per_class.map(|(k, (category, &n))| ClassStats::read(evaluation, category, n, k)).collect();
        Self {
            ap,
            ap50,
            ap75,
            ap_small,
            ap_medium,
            ap_large,
            ar1,
            ar10,
            ar100,
            ar_small,
            ar_medium,
            ar_large,
            per_class,
        }
    }
}

impl ClassStats {
    fn read(evaluation: &COCOeval, category: &Category, objects: usize, k: usize) -> Self {
        let thresholds = evaluation.params.iou_thrs.len();
        // IoU thresholds 0.50, 0.55, …: the first is AP50, the sixth AP75.
        let ap = |first, count| class_precision(evaluation, k, first..first + count);
        Self {
            id: category.id,
            name: category.name.clone(),
            objects,
            ap: ap(0, thresholds),
            ap50: ap(0, 1),
            ap75: ap(5, 1),
            ar100: class_recall(evaluation, k),
        }
    }
}

/// Mean precision of a class over recalls and the given IoU thresholds, at every size and all detections.
fn class_precision(evaluation: &COCOeval, k: usize, thresholds: std::ops::Range<usize>) -> f64 {
    let accumulated = evaluation.accumulated().expect("the evaluation was accumulated");
    let shape = accumulated.shape;
    let at = |t, r| accumulated.precision[accumulated.precision_idx(t, r, k, 0, shape.m - 1)];
    mean(thresholds.flat_map(|t| (0..shape.r).map(move |r| at(t, r))))
}

/// Mean recall of a class over IoU thresholds, at every size and all detections.
fn class_recall(evaluation: &COCOeval, k: usize) -> f64 {
    let accumulated = evaluation.accumulated().expect("the evaluation was accumulated");
    let shape = accumulated.shape;
    mean((0..shape.t).map(|t| accumulated.recall[accumulated.recall_idx(t, k, 0, shape.m - 1)]))
}

/// Mean of the values that were computed; -1 if none was.
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.filter(|&v| v > -1.0).fold((0.0, 0u32), |(sum, n), v| (sum + v, n + 1));
    if count == 0 { -1.0 } else { sum / f64::from(count) }
}
