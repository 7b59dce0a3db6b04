//! Which query answers for which object: the assignment of least total cost (DETR, section 3.1).
//!
//! Costs are computed for the pairs of one image only, objects padded to the busiest image, for every set at
//! once. They leave the device in one copy; the assignment itself runs on the host in `f64`.

use guard_core::no_retain;
use rayon::prelude::*;
use tch::{Kind, Tensor};

use super::stack::{SetKind, SetStack};
use super::validate::{check_sets, check_targets};
use super::{LossError, MatcherConfig};
use crate::model::Predictions;
use crate::ops::{Targets, boxes};

/// A cost that no pair of numbers reaches: stands for NaN and the infinities, which the assignment refuses.
/// Small enough that `f64` still tells ordinary costs apart beside it.
const COST_LIMIT: f64 = 1e9;

/// Who answers for whom in one image; both lists have `min(Q, objects)` entries.
#[no_retain]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assignment {
    /// Queries, ascending.
    pub queries: Vec<usize>,
    /// The object of each query, counted within its image.
    pub targets: Vec<usize>,
}

/// Finds the assignment of least cost between queries and objects, image by image.
#[no_retain]
#[derive(Debug, Clone)]
pub struct HungarianMatcher {
    config: MatcherConfig,
}

impl HungarianMatcher {
    /// A matcher with these weights.
    pub fn new(config: MatcherConfig) -> Self {
        Self { config }
    }

    /// Matches one set of predictions; one assignment for each image of the batch.
    ///
    /// A query whose cost is NaN or infinite is matched last instead of failing.
    ///
    /// # Errors
    /// Shapes that do not agree, or labels outside the classes of the logits.
    pub fn assign(&self, predictions: &Predictions, targets: &Targets) -> Result<Vec<Assignment>, LossError> {
        let sets = vec![(SetKind::Main, predictions)];
        check_targets(targets)?;
        check_sets(&sets, targets.counts.len())?;
        let mut assigned = self.assign_stacks(&SetStack::by_shape(sets), targets)?;
        Ok(assigned.remove(0).remove(0))
    }

    /// Matches every set of every stack with one copy to the host: `[stack][set][image]`.
    ///
    /// Shapes are taken as checked. A stack with a single class column beside wider ones is class-agnostic:
    /// all its labels count as 0.
    pub(super) fn assign_stacks(
        &self,
        stacks: &[SetStack],
        targets: &Targets,
    ) -> Result<Vec<Vec<Vec<Assignment>>>, LossError> {
        if targets.total() == 0 {
            return Ok(stacks.iter().map(|stack| unmatched(stack, targets)).collect());
        }
        let _no_grad = tch::no_grad_guard();
        let padded = PaddedTargets::new(targets);
        let costs: Vec<Tensor> = stacks.iter().map(|stack| self.cost(stack, &padded)).collect();
        let (costs, labels) = to_host(&costs, &targets.labels);
        check_labels(labels, stacks)?;
        let mut rest = costs.as_slice();
        let solved = stacks.iter().map(|stack| {
            let [s, b, q, _] = stack.dims();
            let (own, others) = rest.split_at((s * b * q) as usize * targets.max_count());
            rest = others;
            solve_stack(own, q as usize, &targets.counts)
        });
        Ok(solved.collect())
    }

    /// `[S, B, Q, M]`, M objects in the busiest image.
    fn cost(&self, stack: &SetStack, padded: &PaddedTargets) -> Tensor {
        let class = self.class_cost(&stack.logits, &padded.labels);
        let bbox = l1_distance(&stack.boxes_cxcywh, &padded.boxes_cxcywh);
        let queries = boxes::cxcywh_to_xyxy(&stack.boxes_cxcywh).unsqueeze(3); // [S, B, Q, 1, 4]
        let objects = boxes::cxcywh_to_xyxy(&padded.boxes_cxcywh).unsqueeze(1); // [B, 1, M, 4]
        let giou = boxes::generalized_iou(&queries, &objects);
        bbox * self.config.cost_bbox + class * self.config.cost_class - giou * self.config.cost_giou
    }

    /// `[S, B, Q, C]` and `[B, M]` -> `[S, B, Q, M]`.
    fn class_cost(&self, logits: &Tensor, labels: &Tensor) -> Tensor {
        if !self.config.use_focal_loss {
            return -pick_classes(&logits.softmax(-1, Kind::Float), labels);
        }
        let MatcherConfig { alpha, gamma, .. } = self.config;
        let prob = pick_classes(logits, labels).sigmoid();
        let miss: Tensor = 1.0 - &prob;
        let negative = prob.pow_tensor_scalar(gamma) * (1.0 - alpha) * -(&miss + 1e-8).log();
        let positive = miss.pow_tensor_scalar(gamma) * alpha * -(&prob + 1e-8).log();
        positive - negative
    }
}

/// The objects of a batch, every image filled up to the busiest one.
struct PaddedTargets {
    /// `[B, M]` of `Int64`.
    labels: Tensor,
    /// `[B, M, 4]` of `Float`.
    boxes_cxcywh: Tensor,
}

impl PaddedTargets {
    /// Fills up with the first object of the batch; its cost in a foreign image is never read.
    fn new(targets: &Targets) -> Self {
        let (batch, most) = (targets.counts.len(), targets.max_count());
        let mut rows = Vec::with_capacity(batch * most);
        let mut start = 0;
        for &count in &targets.counts {
            rows.extend((0..most).map(|i| if i < count { (start + i) as i64 } else { 0 }));
            start += count;
        }
        let rows = Tensor::from_slice(&rows).to_device(targets.device());
        let (batch, most) = (batch as i64, most as i64);
        let boxes_cxcywh = targets.boxes_cxcywh.index_select(0, &rows).view([batch, most, 4]);
        Self {
            labels: targets.labels.index_select(0, &rows).view([batch, most]),
            boxes_cxcywh: boxes_cxcywh.to_kind(Kind::Float),
        }
    }
}

/// The column of each object's class: `[S, B, Q, C]` and `[B, M]` -> `[S, B, Q, M]`.
///
/// Labels outside the columns are moved inside; they are reported once the costs are on the host.
fn pick_classes(scores: &Tensor, labels: &Tensor) -> Tensor {
    let (s, b, q, c) = scores.size4().expect("scores are [S, B, Q, C]");
    let columns = labels.clamp(0, c - 1).view([1, b, 1, -1]).expand([s, b, q, -1], false);
    scores.gather(3, &columns, false)
}

/// `[S, B, Q, 4]` and `[B, M, 4]` -> `[S, B, Q, M]`.
fn l1_distance(queries: &Tensor, objects: &Tensor) -> Tensor {
    let (s, b, q, _) = queries.size4().expect("boxes are [S, B, Q, 4]");
    let most = objects.size()[1];
    let objects = objects.unsqueeze(0).expand([s, b, most, 4], false).reshape([s * b, most, 4]);
    Tensor::cdist(&queries.reshape([s * b, q, 4]), &objects, 1.0, None).view([s, b, q, most])
}

/// All costs, and the smallest and largest label, in one copy.
fn to_host(costs: &[Tensor], labels: &Tensor) -> (Vec<f32>, [i64; 2]) {
    let mut parts: Vec<Tensor> = costs.iter().map(|cost| cost.flatten(0, -1)).collect();
    parts.push(Tensor::stack(&[labels.min(), labels.max()], 0).to_kind(Kind::Float));
    let mut host: Vec<f32> =
        Tensor::cat(&parts, 0).try_into().expect("a one-dimensional Float tensor copies to Vec<f32>");
    let range = host.split_off(host.len() - 2);
    (host, [range[0] as i64, range[1] as i64])
}

fn check_labels([min, max]: [i64; 2], stacks: &[SetStack]) -> Result<(), LossError> {
    let num_classes = stacks.iter().map(|stack| stack.dims()[3]).max().unwrap_or(0);
    if min >= 0 && max < num_classes {
        return Ok(());
    }
    Err(LossError::LabelOutOfRange { min, max, num_classes })
}

/// Empty assignments, `[set][image]`.
fn unmatched(stack: &SetStack, targets: &Targets) -> Vec<Vec<Assignment>> {
    vec![vec![Assignment::default(); targets.counts.len()]; stack.kinds.len()]
}

/// Solves the `Q x M` tables of a stack, which follow each other set by set, image by image.
fn solve_stack(costs: &[f32], queries: usize, counts: &[usize]) -> Vec<Vec<Assignment>> {
    let most = counts.iter().copied().max().unwrap_or(0);
    let solved: Vec<Assignment> = costs
        .par_chunks(queries * most)
        .enumerate()
        .map(|(table, costs)| solve(costs, queries, most, counts[table % counts.len()]))
        .collect();
    solved.chunks(counts.len()).map(<[Assignment]>::to_vec).collect()
}

/// Solves one image: the first `count` of the `most` columns are its objects.
fn solve(costs: &[f32], queries: usize, most: usize, count: usize) -> Assignment {
    let own = costs.chunks(most).flat_map(|row| &row[..count]).map(|&cost| bounded(cost)).collect();
    let (queries, targets) =
        lsap::solve(queries, count, &own, false).expect("bounded costs always have an assignment");
    Assignment { queries, targets }
}

/// NaN and everything beyond the limit become the limit.
fn bounded(cost: f32) -> f64 {
    if cost.is_nan() { COST_LIMIT } else { f64::from(cost).clamp(-COST_LIMIT, COST_LIMIT) }
}
