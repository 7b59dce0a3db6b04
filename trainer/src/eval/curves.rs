//! Precision against recall, class by class.

use guard_core::no_retain;
use hotcoco::COCOeval;
use serde::{Deserialize, Serialize};

use super::Category;

/// Recalls at which precision is read: 0.00, 0.01, … 1.00.
const RECALLS: usize = 101;

/// The curves of an evaluation at IoU 0.50, all sizes, a hundred detections an image.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PrecisionRecall {
    /// By ascending category id; classes without an object are left out.
    pub classes: Vec<ClassCurve>,
}

/// The curve of one class.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassCurve {
    /// Place of the class among all categories by ascending id: what colours go by.
    pub class: usize,
    /// Category name.
    pub name: String,
    /// Interpolated precision at the recalls 0.00, 0.01, … 1.00: the highest at that recall or beyond; 0 where the
    /// recall is not reached.
    pub precision: Vec<f64>,
    /// Score down to which detections have to be kept to reach each of those recalls; 0 where it is not reached.
    pub scores: Vec<f64>,
}

/// The point of a curve with the best balance of precision and recall.
#[no_retain]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestF1 {
    /// Harmonic mean of precision and recall.
    pub f1: f64,
    /// The recall.
    pub recall: f64,
    /// The precision there.
    pub precision: f64,
    /// The score threshold that gives it.
    pub score: f64,
}

impl PrecisionRecall {
    /// Reads a finished evaluation; `categories` ascend by id.
    pub(super) fn read(evaluation: &COCOeval, categories: &[Category]) -> Self {
        let curves = categories.iter().enumerate().map(|(k, category)| curve(evaluation, k, category));
        Self { classes: curves.flatten().collect() }
    }

    /// Mean precision over the classes at each recall; empty without a class.
    pub fn mean(&self) -> Vec<f64> {
        let count = self.classes.len() as f64;
        let at = |r: usize| self.classes.iter().map(|class| class.precision[r]).sum::<f64>() / count;
        if self.classes.is_empty() { Vec::new() } else { (0..RECALLS).map(at).collect() }
    }
}

impl ClassCurve {
    /// Area under the curve: AP50 of the class.
    pub fn ap50(&self) -> f64 {
        self.precision.iter().sum::<f64>() / self.precision.len() as f64
    }

    /// The best point by F1; `None` when no detection of the class is right.
    pub fn best_f1(&self) -> Option<BestF1> {
        let points = self.precision.iter().zip(&self.scores).enumerate();
        let points =
            points.filter(|(_, (precision, _))| **precision > 0.0).map(|(r, (&precision, &score))| {
                let recall = r as f64 / (RECALLS - 1) as f64;
                BestF1 { f1: 2.0 * precision * recall / (precision + recall), recall, precision, score }
            });
        points.max_by(|a, b| a.f1.total_cmp(&b.f1)).filter(|best| best.f1 > 0.0)
    }
}

/// Place of a recall (or any number from 0 to 1) on the x axis of a curve.
pub fn recalls() -> impl Iterator<Item = f64> {
    (0..RECALLS).map(|r| r as f64 / (RECALLS - 1) as f64)
}

/// The curve at position `k` of the category axis; `None` without an object.
fn curve(evaluation: &COCOeval, k: usize, category: &Category) -> Option<ClassCurve> {
    let accumulated = evaluation.accumulated().expect("the evaluation was accumulated");
    let shape = accumulated.shape;
    assert_eq!(shape.r, RECALLS, "COCO reads precision at 101 recalls");
    // The first IoU threshold is 0.50, the first area range all sizes, the last detection limit the largest.
    let at = |r| accumulated.precision_idx(0, r, k, 0, shape.m - 1);
    let read = |values: &[f64]| (0..RECALLS).map(|r| values[at(r)]).collect::<Vec<_>>();
    let precision = read(&accumulated.precision);
    let name = category.name.clone();
    let has_objects = precision.iter().all(|&p| p > -1.0);
    has_objects.then(|| ClassCurve { class: k, name, precision, scores: read(&accumulated.scores) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_point_balances_precision_and_recall() {
        let reached = |r: usize| if r <= 80 { 0.9 } else { 0.0 };
        let curve = ClassCurve {
            class: 0,
            name: "cat".into(),
            precision: (0..RECALLS).map(reached).collect(),
            scores: recalls().map(|recall| 1.0 - recall).collect(),
        };
        let best = curve.best_f1().expect("a point");
        assert_eq!((best.recall, best.precision), (0.8, 0.9));
        assert!((best.f1 - 1.44 / 1.7).abs() < 1e-12 && (best.score - 0.2).abs() < 1e-12, "{best:?}");
        assert!((curve.ap50() - 81.0 * 0.9 / 101.0).abs() < 1e-12);
        let nothing = ClassCurve { precision: vec![0.0; RECALLS], ..curve };
        assert_eq!(nothing.best_f1(), None);
    }
}
