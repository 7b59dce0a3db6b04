//! What can be set in the matcher and the criterion; the defaults are RT-DETR v2's.

use guard_core::no_retain;
use serde::{Deserialize, Serialize};

/// Weights and form of the matching cost.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MatcherConfig {
    /// Weight of the class cost.
    pub cost_class: f64,
    /// Weight of the L1 distance of the boxes (centre, width, height).
    pub cost_bbox: f64,
    /// Weight of the negated generalised IoU.
    pub cost_giou: f64,
    /// Balance of positives in the focal class cost.
    pub alpha: f64,
    /// Exponent of the focal class cost.
    pub gamma: f64,
    /// Focal class cost on sigmoid scores; off: the negated softmax probability.
    pub use_focal_loss: bool,
}

impl Default for MatcherConfig {
    fn default() -> Self {
        Self {
            cost_class: 2.0,
            cost_bbox: 5.0,
            cost_giou: 2.0,
            alpha: 0.25,
            gamma: 2.0,
            use_focal_loss: true,
        }
    }
}

/// Weight of each term in the total.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LossWeights {
    /// Varifocal class loss.
    pub loss_vfl: f64,
    /// Focal class loss, used instead of the varifocal one.
    pub loss_focal: f64,
    /// L1 distance of the boxes.
    pub loss_bbox: f64,
    /// One less generalised IoU.
    pub loss_giou: f64,
}

impl Default for LossWeights {
    fn default() -> Self {
        Self { loss_vfl: 1.0, loss_focal: 1.0, loss_bbox: 5.0, loss_giou: 2.0 }
    }
}

/// The form of the class loss.
#[no_retain]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClassLoss {
    /// Varifocal: the target score is the overlap that the query reached.
    #[default]
    Vfl,
    /// Focal: the target score is one.
    Focal,
}

/// What weighs the GIoU term of a pair, and is the target score of the varifocal loss.
#[no_retain]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BoxesWeight {
    /// Pairs weigh the same; the target score is the IoU.
    #[default]
    None,
    /// The IoU for both.
    Iou,
    /// The generalised IoU for both; it may be negative.
    Giou,
}

/// Everything the criterion can be told.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CriterionConfig {
    /// The matching cost.
    pub matcher: MatcherConfig,
    /// Weight of each term.
    pub weights: LossWeights,
    /// The form of the class loss.
    pub class_loss: ClassLoss,
    /// Balance of the class loss: of negatives in varifocal (0.75), of positives in focal (0.25 is usual).
    pub alpha: f64,
    /// Exponent of the class loss.
    pub gamma: f64,
    /// What weighs the GIoU term.
    pub boxes_weight_format: BoxesWeight,
    /// Use the last decoder layer's matching for the layers before it.
    pub share_matched_indices: bool,
}

impl Default for CriterionConfig {
    fn default() -> Self {
        Self {
            matcher: MatcherConfig::default(),
            weights: LossWeights::default(),
            class_loss: ClassLoss::default(),
            alpha: 0.75,
            gamma: 2.0,
            boxes_weight_format: BoxesWeight::default(),
            share_matched_indices: false,
        }
    }
}
