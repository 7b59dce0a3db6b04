//! The lines of the log.

use std::collections::BTreeMap;

use guard_core::no_retain;
use serde::{Deserialize, Deserializer, Serialize};

/// One line of the log; the key `record` names the kind.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
pub enum Record {
    /// The run started, went on, or ended.
    Run(RunRecord),
    /// A training step; written every n steps.
    Step(StepRecord),
    /// The end of an epoch, after its evaluation.
    Epoch(EpochRecord),
}

impl Record {
    /// Training steps done when the record was written.
    pub fn step(&self) -> u64 {
        match self {
            Self::Run(run) => run.step,
            Self::Step(step) => step.step,
            Self::Epoch(epoch) => epoch.step,
        }
    }
}

/// Where a run stands.
#[no_retain]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// It started at step 0.
    Started,
    /// It went on from a checkpoint.
    Resumed,
    /// It was stopped before its last epoch.
    Interrupted,
    /// It reached its end.
    Finished,
}

/// A run that started, went on, or ended.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Where the run stands.
    pub status: RunStatus,
    /// Training steps done so far.
    pub step: u64,
    /// Free facts: model, device, data set, seed.
    #[serde(default)]
    pub facts: BTreeMap<String, String>,
}

/// A training step.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepRecord {
    /// Epoch, from 0.
    pub epoch: u64,
    /// Training steps done, this one included, over all epochs.
    pub step: u64,
    /// Sum of all weighted terms; NaN is written as `null`.
    #[serde(deserialize_with = "null_as_nan")]
    pub loss: f64,
    /// Weighted terms under their official names: `loss_vfl`, `loss_bbox_aux_0`, `loss_giou_dn_1` …
    #[serde(default, deserialize_with = "null_as_nan_map")]
    pub losses: BTreeMap<String, f64>,
    /// Learning rate of the first parameter group.
    pub lr: f64,
    /// Images per second, smoothed.
    pub images_per_second: f64,
    /// Live tensor bytes at the end of the step.
    pub live_bytes: u64,
    /// Highest live tensor bytes within the step.
    pub peak_bytes: u64,
    /// Resident set of the process in bytes; 0 where the system does not tell.
    pub rss_bytes: u64,
    /// Seconds since the run started, earlier parts of a resumed run included.
    pub seconds: f64,
}

/// The end of an epoch, after its evaluation.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpochRecord {
    /// Epoch, from 0.
    pub epoch: u64,
    /// Training steps done over all epochs.
    pub step: u64,
    /// Mean training loss of the epoch; NaN is written as `null`.
    #[serde(deserialize_with = "null_as_nan")]
    pub loss: f64,
    /// COCO AP at IoU 0.50:0.95 on the val split, in 0..=1.
    #[serde(deserialize_with = "null_as_nan")]
    pub ap: f64,
    /// COCO AP at IoU 0.50.
    #[serde(deserialize_with = "null_as_nan")]
    pub ap50: f64,
    /// COCO AP at IoU 0.75.
    #[serde(deserialize_with = "null_as_nan")]
    pub ap75: f64,
    /// Live tensor bytes at the end of the epoch.
    pub live_bytes: u64,
    /// Resident set of the process in bytes; 0 where the system does not tell.
    pub rss_bytes: u64,
    /// Seconds since the run started, earlier parts of a resumed run included.
    pub seconds: f64,
}

/// JSON has no NaN and no infinity: both are written as `null`.
fn null_as_nan<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

fn null_as_nan_map<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, f64>, D::Error> {
    let terms = BTreeMap::<String, Option<f64>>::deserialize(deserializer)?;
    Ok(terms.into_iter().map(|(name, value)| (name, value.unwrap_or(f64::NAN))).collect())
}
