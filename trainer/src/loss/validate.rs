//! Shapes that must agree before the first tensor operation, so that a mismatch is an error and not a panic.

use super::LossError;
use super::stack::{NamedSet, denoising_sets, matching_sets};
use crate::model::{DnMeta, TrainOutputs};
use crate::ops::Targets;

/// Checks everything the criterion reads.
pub(super) fn check(outputs: &TrainOutputs, targets: &Targets) -> Result<(), LossError> {
    check_targets(targets)?;
    check_sets(&matching_sets(outputs), targets.counts.len())?;
    check_denoising(outputs, targets)
}

/// Labels, boxes and counts must describe the same objects.
pub(super) fn check_targets(targets: &Targets) -> Result<(), LossError> {
    let (labels, boxes) = (targets.labels.size(), targets.boxes_cxcywh.size());
    let counted = targets.total();
    let want = counted as i64;
    if labels == [want] && boxes == [want, 4] {
        return Ok(());
    }
    let rows = |size: &[i64], fits: bool| if fits { size.first().map_or(0, |&n| n as usize) } else { 0 };
    Err(LossError::TargetCount {
        labels: rows(&labels, labels.len() == 1),
        boxes: rows(&boxes, boxes.len() == 2 && boxes[1] == 4),
        counted,
    })
}

/// Logits must be `[B, Q, C]` and boxes `[B, Q, 4]`, for the same B and Q.
pub(super) fn check_sets(sets: &[NamedSet<'_>], batch: usize) -> Result<(), LossError> {
    for &(kind, set) in sets {
        let fail = |tensor, found: Vec<i64>, expected| {
            Err(LossError::Shape { tensor, set: kind.suffix(), found, expected })
        };
        let logits = set.pred_logits.size();
        let &[b, q, c] = logits.as_slice() else {
            return fail("pred_logits", logits, format!("[{batch}, Q, C]"));
        };
        if b != batch as i64 || q == 0 || c == 0 {
            return fail("pred_logits", logits, format!("[{batch}, Q, C] with Q and C above 0"));
        }
        if set.pred_boxes.size() != [b, q, 4] {
            return fail("pred_boxes", set.pred_boxes.size(), format!("[{b}, {q}, 4]"));
        }
    }
    Ok(())
}

/// Denoising sets need a layout that fits them and the targets.
fn check_denoising(outputs: &TrainOutputs, targets: &Targets) -> Result<(), LossError> {
    if outputs.dn_aux.is_empty() {
        return Ok(());
    }
    check_sets(&denoising_sets(outputs), targets.counts.len())?;
    let meta = outputs.dn_meta.as_ref().ok_or(LossError::DnMetaMissing { sets: outputs.dn_aux.len() })?;
    let queries = outputs.dn_aux.iter().map(|set| set.pred_logits.size()[1]).min().unwrap_or(0);
    check_positives(meta, targets, queries)
}

fn check_positives(meta: &DnMeta, targets: &Targets, queries: i64) -> Result<(), LossError> {
    for (image, &count) in targets.counts.iter().enumerate() {
        let positives = meta.positive_idx.get(image).map_or(&[][..], Vec::as_slice);
        let expected = count * meta.num_groups.max(0) as usize;
        if positives.len() != expected {
            return Err(LossError::DnPositives { image, found: positives.len(), expected });
        }
        if let Some(&query) = positives.iter().find(|&&query| query < 0 || query >= queries) {
            return Err(LossError::DnQueryOutOfRange { image, query, queries });
        }
    }
    Ok(())
}
