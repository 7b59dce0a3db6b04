//! From the blocks of an official configuration to the criterion.

use super::{
    Converted,
    keys::{list, only, required, unsupported},
    schema::{self, Document},
};
use crate::loss::{ClassLoss, CriterionConfig, LossWeights, MatcherConfig};

pub(super) fn criterion(document: &Document) -> Converted<CriterionConfig> {
    let block = required(&document.criterion_v2, "RTDETRCriterionv2")?;
    let weights = required(&block.weight_dict, "RTDETRCriterionv2.weight_dict")?;
    let class_loss = class_loss(required(&block.losses, "RTDETRCriterionv2.losses")?)?;
    Ok(CriterionConfig {
        matcher: matcher(document, required(&block.matcher, "RTDETRCriterionv2.matcher")?)?,
        weights: loss_weights(weights, class_loss),
        class_loss,
        alpha: block.alpha.unwrap_or(0.2),
        gamma: block.gamma.unwrap_or(2.0),
        boxes_weight_format: block.boxes_weight_format.unwrap_or_default(),
        share_matched_indices: block.share_matched_indices.unwrap_or(false),
    })
}

/// A term without a weight is not part of the sum; that of the class loss which is not used does not matter.
fn loss_weights(weights: &schema::LossWeights, class_loss: ClassLoss) -> LossWeights {
    let unused = LossWeights::default();
    let absent = |used, default| if class_loss == used { 0.0 } else { default };
    LossWeights {
        loss_vfl: weights.loss_vfl.unwrap_or(absent(ClassLoss::Vfl, unused.loss_vfl)),
        loss_focal: weights.loss_focal.unwrap_or(absent(ClassLoss::Focal, unused.loss_focal)),
        loss_bbox: weights.loss_bbox.unwrap_or(0.0),
        loss_giou: weights.loss_giou.unwrap_or(0.0),
    }
}

fn class_loss(losses: &[String]) -> Converted<ClassLoss> {
    let mut names: Vec<&str> = losses.iter().map(String::as_str).collect();
    names.sort_unstable();
    match names[..] {
        ["boxes", "vfl"] => Ok(ClassLoss::Vfl),
        ["boxes", "focal"] => Ok(ClassLoss::Focal),
        _ => unsupported("RTDETRCriterionv2.losses", list(losses), "`boxes` with `vfl` or `focal`"),
    }
}

fn matcher(document: &Document, block: &schema::Matcher) -> Converted<MatcherConfig> {
    only("RTDETRCriterionv2.matcher.type", block.class.as_deref(), "HungarianMatcher", "`HungarianMatcher`")?;
    let weights = required(&block.weight_dict, "RTDETRCriterionv2.matcher.weight_dict")?;
    Ok(MatcherConfig {
        cost_class: *required(&weights.cost_class, "RTDETRCriterionv2.matcher.weight_dict.cost_class")?,
        cost_bbox: *required(&weights.cost_bbox, "RTDETRCriterionv2.matcher.weight_dict.cost_bbox")?,
        cost_giou: *required(&weights.cost_giou, "RTDETRCriterionv2.matcher.weight_dict.cost_giou")?,
        alpha: block.alpha.unwrap_or(0.25),
        gamma: block.gamma.unwrap_or(2.0),
        use_focal_loss: document.use_focal_loss.unwrap_or(false),
    })
}
