//! Assignments as index tensors.

use tch::{Device, Tensor};

use super::matcher::Assignment;
use super::stack::SetStack;
use crate::model::DnMeta;
use crate::ops::Targets;

/// The matched pairs of a stack; every set has the same number N of pairs.
#[derive(Debug)]
pub(super) struct MatchedPairs {
    /// Rows of the stack flattened to `S * B * Q`, set after set: `[S * N]` of `Int64`.
    pub queries: Tensor,
    /// Rows of the target table: `[S * N]` of `Int64`.
    pub targets: Tensor,
}

impl MatchedPairs {
    /// From `[set][image]`.
    pub fn new(assigned: &[Vec<Assignment>], stack: &SetStack, targets: &Targets) -> Self {
        let [_, batch, queries, _] = stack.dims();
        let mut rows = (Vec::new(), Vec::new());
        for (set, images) in assigned.iter().enumerate() {
            let mut first_target = 0;
            for (image, pairs) in images.iter().enumerate() {
                let first_query = (set as i64 * batch + image as i64) * queries;
                rows.0.extend(pairs.queries.iter().map(|&query| first_query + query as i64));
                rows.1.extend(pairs.targets.iter().map(|&target| (first_target + target) as i64));
                first_target += targets.counts[image];
            }
        }
        Self::from_rows(&rows.0, &rows.1, stack.logits.device())
    }

    /// One copy to the device for both lists.
    fn from_rows(queries: &[i64], targets: &[i64], device: Device) -> Self {
        let both = Tensor::from_slice(&[queries, targets].concat()).view([2, queries.len() as i64]);
        let both = both.to_device(device);
        Self { queries: both.get(0), targets: both.get(1) }
    }
}

/// The fixed matching of the denoising queries: object `i` made the `i`-th positive query of every group.
pub(super) fn denoising_assignments(meta: &DnMeta, targets: &Targets) -> Vec<Assignment> {
    let images = meta.positive_idx.iter().zip(&targets.counts);
    let assign = |(positives, &count): (&Vec<i64>, &usize)| Assignment {
        queries: positives.iter().map(|&query| query as usize).collect(),
        targets: (0..count).cycle().take(positives.len()).collect(),
    };
    images.map(assign).collect()
}
