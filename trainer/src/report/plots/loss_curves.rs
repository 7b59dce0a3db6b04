//! What `loss_png` draws.

use guard_core::no_retain;

use crate::report::Record;
use crate::report::metrics::StepRecord;

/// A training step.
#[no_retain]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LossPoint {
    /// Training steps done.
    pub step: u64,
    /// Sum of all weighted terms.
    pub loss: f64,
    /// Sum of the `loss_vfl` terms over all outputs.
    pub vfl: f64,
    /// Sum of the `loss_bbox` terms over all outputs.
    pub bbox: f64,
    /// Sum of the `loss_giou` terms over all outputs.
    pub giou: f64,
    /// Learning rate.
    pub lr: f64,
}

/// The end of an epoch.
#[no_retain]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EpochPoint {
    /// Epoch, from 0.
    pub epoch: u64,
    /// Training steps done.
    pub step: u64,
    /// COCO AP, in 0..=1.
    pub ap: f64,
    /// COCO AP at IoU 0.50.
    pub ap50: f64,
    /// COCO AP at IoU 0.75.
    pub ap75: f64,
    /// Seconds since the run started.
    pub seconds: f64,
}

/// What `loss_png` draws.
#[no_retain]
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LossCurves {
    /// In order of `step`.
    pub steps: Vec<LossPoint>,
    /// In order of `epoch`.
    pub epochs: Vec<EpochPoint>,
}

impl LossCurves {
    /// Takes the points from a log; the terms of a kind are summed over all outputs.
    pub fn from_records(records: &[Record]) -> Self {
        let mut curves = Self::default();
        for record in records {
            match record {
                Record::Step(step) => curves.steps.push(loss_point(step)),
                Record::Epoch(e) => curves.epochs.push(EpochPoint {
                    epoch: e.epoch,
                    step: e.step,
                    ap: e.ap,
                    ap50: e.ap50,
                    ap75: e.ap75,
                    seconds: e.seconds,
                }),
                Record::Run(_) => {}
            }
        }
        curves
    }

    /// Training steps done.
    pub(super) fn last_step(&self) -> u64 {
        let steps = self.steps.last().map_or(0, |point| point.step);
        steps.max(self.epochs.last().map_or(0, |point| point.step))
    }

    /// One value over the steps.
    pub(super) fn series(&self, value: impl Fn(&LossPoint) -> f64) -> Vec<(f64, f64)> {
        self.steps.iter().map(|point| (point.step as f64, value(point))).collect()
    }
}

fn loss_point(record: &StepRecord) -> LossPoint {
    let sum = |kind: &str| {
        record.losses.iter().filter(|(name, _)| name.starts_with(kind)).map(|(_, value)| value).sum()
    };
    LossPoint {
        step: record.step,
        loss: record.loss,
        vfl: sum("loss_vfl"),
        bbox: sum("loss_bbox"),
        giou: sum("loss_giou"),
        lr: record.lr,
    }
}
