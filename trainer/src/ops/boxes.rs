//! Box geometry: two ways to write a box, and two measures of overlap.
//!
//! Every function broadcasts over the leading dimensions, so the pair-by-pair and the all-against-all forms
//! are one piece of code: `[N, 4]` with `[N, 4]` gives `[N]`, `[N, 1, 4]` with `[1, M, 4]` gives `[N, M]`.

use tch::Tensor;

/// How much two boxes share.
#[derive(Debug)]
pub struct Overlap {
    /// Intersection over union; NaN where both boxes are empty.
    pub iou: Tensor,
    /// Area that either box covers.
    pub union: Tensor,
}

/// Turns centre, width, height into corners; a negative side counts as zero.
///
/// # Shapes
/// `[.., 4]` -> `[.., 4]`
pub fn cxcywh_to_xyxy(boxes_cxcywh: &Tensor) -> Tensor {
    let centre = boxes_cxcywh.narrow(-1, 0, 2);
    let half = boxes_cxcywh.narrow(-1, 2, 2).clamp_min(0.0) * 0.5;
    Tensor::cat(&[&centre - &half, &centre + &half], -1)
}

/// Turns corners into centre, width, height.
///
/// # Shapes
/// `[.., 4]` -> `[.., 4]`
pub fn xyxy_to_cxcywh(boxes_xyxy: &Tensor) -> Tensor {
    let (low, high) = corners(boxes_xyxy);
    Tensor::cat(&[(&low + &high) * 0.5, high - low], -1)
}

/// Area of boxes given by their corners.
///
/// # Shapes
/// `[.., 4]` -> `[..]`
pub fn area(boxes_xyxy: &Tensor) -> Tensor {
    let (low, high) = corners(boxes_xyxy);
    side_product(&(high - low))
}

/// Intersection over union of boxes given by their corners, with the union.
///
/// # Shapes
/// `[.., 4]` and `[.., 4]`, broadcast -> `[..]` each
pub fn overlap(a_xyxy: &Tensor, b_xyxy: &Tensor) -> Overlap {
    let ((a_low, a_high), (b_low, b_high)) = (corners(a_xyxy), corners(b_xyxy));
    let sides = (a_high.minimum(&b_high) - a_low.maximum(&b_low)).clamp_min(0.0);
    let intersection = side_product(&sides);
    let union = area(a_xyxy) + area(b_xyxy) - &intersection;
    Overlap { iou: intersection / &union, union }
}

/// Intersection over union of boxes given by their corners.
///
/// # Shapes
/// `[.., 4]` and `[.., 4]`, broadcast -> `[..]`
pub fn iou(a_xyxy: &Tensor, b_xyxy: &Tensor) -> Tensor {
    overlap(a_xyxy, b_xyxy).iou
}

/// Generalised intersection over union (Rezatofighi et al. 2019): IoU less the part of the enclosing box that
/// neither box covers; between -1 and 1.
///
/// # Shapes
/// `[.., 4]` and `[.., 4]`, broadcast -> `[..]`
pub fn generalized_iou(a_xyxy: &Tensor, b_xyxy: &Tensor) -> Tensor {
    let ((a_low, a_high), (b_low, b_high)) = (corners(a_xyxy), corners(b_xyxy));
    let sides = (a_high.maximum(&b_high) - a_low.minimum(&b_low)).clamp_min(0.0);
    let hull = side_product(&sides);
    let Overlap { iou, union } = overlap(a_xyxy, b_xyxy);
    iou - (&hull - union) / &hull
}

/// `[.., 4]` -> the lower and the upper corner, `[.., 2]` each.
fn corners(boxes_xyxy: &Tensor) -> (Tensor, Tensor) {
    (boxes_xyxy.narrow(-1, 0, 2), boxes_xyxy.narrow(-1, 2, 2))
}

/// `[.., 2]` -> `[..]`. Two selects: the gradient of `prod` takes a slower path where a side is zero.
fn side_product(sides: &Tensor) -> Tensor {
    sides.select(-1, 0) * sides.select(-1, 1)
}
