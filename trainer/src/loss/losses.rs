//! The loss of one logit, of one pair of boxes. Nothing is summed or averaged here.

use tch::{Kind, Reduction, Tensor};

use crate::ops::boxes;

/// Varifocal loss (Zhang et al. 2021) of each logit, on its way to a score instead of a class.
///
/// `target_score` is the overlap reached at the matched class and 0 elsewhere; `one_hot` marks the matched class.
/// A negative weighs `alpha * sigmoid^gamma`, a positive its own target score; no gradient flows through the weight.
///
/// # Shapes
/// all `[.., C]` of `Float`
pub fn varifocal(logits: &Tensor, target_score: &Tensor, one_hot: &Tensor, alpha: f64, gamma: f64) -> Tensor {
    let score = logits.detach().sigmoid();
    let weight = score.pow_tensor_scalar(gamma) * alpha * (1.0 - one_hot) + target_score;
    bce_with_logits(logits, target_score, Some(&weight))
}

/// Focal loss (Lin et al. 2017) of each logit; `alpha` balances the positives, `one_hot` marks them.
///
/// # Shapes
/// all `[.., C]` of `Float`
pub fn focal(logits: &Tensor, one_hot: &Tensor, alpha: f64, gamma: f64) -> Tensor {
    let score = logits.sigmoid();
    let negative: Tensor = 1.0 - one_hot;
    let wrong: Tensor = 1.0 - (&score * one_hot + (1.0 - &score) * &negative);
    let balance = one_hot * alpha + negative * (1.0 - alpha);
    bce_with_logits(logits, one_hot, None) * wrong.pow_tensor_scalar(gamma) * balance
}

/// L1 distance of boxes that belong together.
///
/// # Shapes
/// `[N, 4]` and `[N, 4]` -> `[N]`
pub fn bbox(pred_cxcywh: &Tensor, target_cxcywh: &Tensor) -> Tensor {
    (pred_cxcywh - target_cxcywh).abs().sum_dim_intlist(-1, false, Kind::Float)
}

/// One less the generalised IoU of boxes that belong together; between 0 and 2.
///
/// # Shapes
/// `[N, 4]` and `[N, 4]` -> `[N]`
pub fn giou(pred_cxcywh: &Tensor, target_cxcywh: &Tensor) -> Tensor {
    let (pred, target) = (boxes::cxcywh_to_xyxy(pred_cxcywh), boxes::cxcywh_to_xyxy(target_cxcywh));
    1.0 - boxes::generalized_iou(&pred, &target)
}

fn bce_with_logits(logits: &Tensor, target: &Tensor, weight: Option<&Tensor>) -> Tensor {
    logits.binary_cross_entropy_with_logits(target, weight, None::<&Tensor>, Reduction::None)
}
