//! The sum that training makes small: class and box losses of every prediction set.

use guard_core::no_retain;
use tch::{Kind, Tensor};

use super::assign::{MatchedPairs, denoising_assignments};
use super::matcher::Assignment;
use super::stack::{SetKind, SetStack, denoising_sets, matching_sets};
use super::{BoxesWeight, ClassLoss, CriterionConfig, HungarianMatcher, LossError, Losses, losses, validate};
use crate::model::{DnMeta, TrainOutputs};
use crate::ops::{Targets, boxes};

/// RT-DETR's criterion: match, then charge each set of predictions for its classes and boxes.
#[no_retain]
#[derive(Debug, Clone)]
pub struct Criterion {
    config: CriterionConfig,
    matcher: HungarianMatcher,
}

impl Criterion {
    /// A criterion and its matcher.
    pub fn new(config: CriterionConfig) -> Self {
        Self { matcher: HungarianMatcher::new(config.matcher.clone()), config }
    }

    /// Every weighted term of a step, divided by the objects of the batch (at least 1).
    ///
    /// The last decoder layer, the layers before it and the query selection are matched each on its own; the
    /// denoising queries know their objects. Without objects the box terms are 0 and the class terms push all
    /// scores down.
    ///
    /// # Errors
    /// Outputs and targets that do not belong together; labels outside the classes.
    pub fn forward(&self, outputs: &TrainOutputs, targets: &Targets) -> Result<Losses, LossError> {
        self.forward_normalized(outputs, targets, targets.total().max(1) as f64)
    }

    /// As [`forward`](Self::forward), divided by `num_boxes`: with several processes, the mean over them.
    ///
    /// # Errors
    /// As `forward`; a `num_boxes` that is not above 0.
    pub fn forward_normalized(
        &self,
        outputs: &TrainOutputs,
        targets: &Targets,
        num_boxes: f64,
    ) -> Result<Losses, LossError> {
        if !(num_boxes.is_finite() && num_boxes > 0.0) {
            return Err(LossError::NumBoxes { found: num_boxes.to_string() });
        }
        validate::check(outputs, targets)?;
        let mut terms = self.matched_terms(outputs, targets, num_boxes)?;
        if let Some(meta) = &outputs.dn_meta {
            terms.extend(self.denoising_terms(outputs, meta, targets, num_boxes));
        }
        let (names, values): (Vec<Vec<String>>, Vec<Tensor>) = terms.into_iter().unzip();
        Ok(Losses { names: names.concat(), terms: Tensor::cat(&values, 0) })
    }

    /// Names and values of the sets that need matching.
    fn matched_terms(
        &self,
        outputs: &TrainOutputs,
        targets: &Targets,
        num_boxes: f64,
    ) -> Result<Vec<Terms>, LossError> {
        let stacks = SetStack::by_shape(matching_sets(outputs));
        let mut assigned = self.matcher.assign_stacks(&stacks, targets)?;
        if self.config.share_matched_indices {
            share_main(&mut assigned, &stacks);
        }
        let terms =
            |(stack, images): (&SetStack, &Vec<_>)| self.stack_terms(stack, images, targets, num_boxes);
        Ok(stacks.iter().zip(&assigned).map(terms).collect())
    }

    /// Names and values of the denoising sets; each of the groups counts every object once more.
    fn denoising_terms(
        &self,
        outputs: &TrainOutputs,
        meta: &DnMeta,
        targets: &Targets,
        num_boxes: f64,
    ) -> Vec<Terms> {
        let assigned = denoising_assignments(meta, targets);
        let num_boxes = num_boxes * meta.num_groups.max(1) as f64;
        let terms = |stack: &SetStack| {
            self.stack_terms(stack, &vec![assigned.clone(); stack.kinds.len()], targets, num_boxes)
        };
        SetStack::by_shape(denoising_sets(outputs)).iter().map(terms).collect()
    }

    /// Three terms for each set of a stack, set after set: `[3 S]`.
    fn stack_terms(
        &self,
        stack: &SetStack,
        assigned: &[Vec<Assignment>],
        targets: &Targets,
        num_boxes: f64,
    ) -> Terms {
        let pairs = MatchedPairs::new(assigned, stack, targets);
        let matched = MatchedBoxes::new(stack, &pairs, targets);
        let weights = &self.config.weights;
        let class = self.class_loss(stack, &pairs, &matched, targets) * (self.class_weight() / num_boxes);
        let bbox = losses::bbox(&matched.pred, &matched.target) * (weights.loss_bbox / num_boxes);
        let giou = self.giou_loss(&matched) * (weights.loss_giou / num_boxes);
        let sets = stack.kinds.len() as i64;
        let columns = [class, sum_by_set(&bbox, sets), sum_by_set(&giou, sets)];
        (self.names(&stack.kinds), Tensor::stack(&columns, 1).flatten(0, 1))
    }

    /// The class loss of each set: `[S]`.
    fn class_loss(
        &self,
        stack: &SetStack,
        pairs: &MatchedPairs,
        matched: &MatchedBoxes,
        targets: &Targets,
    ) -> Tensor {
        let slots = class_slots(stack, pairs, targets);
        let one_hot = fill_slots(&stack.logits, &slots, &slots.ones_like().to_kind(Kind::Float));
        let CriterionConfig { alpha, gamma, .. } = self.config;
        let loss = match self.config.class_loss {
            ClassLoss::Focal => losses::focal(&stack.logits, &one_hot, alpha, gamma),
            ClassLoss::Vfl => {
                let score = fill_slots(&stack.logits, &slots, &self.target_score(matched));
                losses::varifocal(&stack.logits, &score, &one_hot, alpha, gamma)
            }
        };
        loss.sum_dim_intlist([1i64, 2, 3].as_slice(), false, Kind::Float)
    }

    /// What the matched logits should reach: `[S * N]`, no gradient.
    fn target_score(&self, matched: &MatchedBoxes) -> Tensor {
        let (pred, target) = matched.detached_xyxy();
        match self.config.boxes_weight_format {
            BoxesWeight::None | BoxesWeight::Iou => boxes::iou(&pred, &target),
            BoxesWeight::Giou => boxes::generalized_iou(&pred, &target),
        }
    }

    /// The GIoU loss of each pair: `[S * N]`.
    fn giou_loss(&self, matched: &MatchedBoxes) -> Tensor {
        let loss = losses::giou(&matched.pred, &matched.target);
        match self.config.boxes_weight_format {
            BoxesWeight::None => loss,
            BoxesWeight::Iou | BoxesWeight::Giou => loss * self.target_score(matched),
        }
    }

    fn class_weight(&self) -> f64 {
        match self.config.class_loss {
            ClassLoss::Vfl => self.config.weights.loss_vfl,
            ClassLoss::Focal => self.config.weights.loss_focal,
        }
    }

    fn names(&self, kinds: &[SetKind]) -> Vec<String> {
        let of_set = |kind: &SetKind| self.term_names().map(|name| format!("{name}{}", kind.suffix()));
        kinds.iter().flat_map(of_set).collect()
    }

    fn term_names(&self) -> [&'static str; 3] {
        match self.config.class_loss {
            ClassLoss::Vfl => ["loss_vfl", "loss_bbox", "loss_giou"],
            ClassLoss::Focal => ["loss_focal", "loss_bbox", "loss_giou"],
        }
    }
}

/// Names, and the values in one tensor.
type Terms = (Vec<String>, Tensor);

/// The boxes of the matched pairs, row by row.
struct MatchedBoxes {
    /// `[S * N, 4]`.
    pred: Tensor,
    /// `[S * N, 4]`.
    target: Tensor,
}

impl MatchedBoxes {
    fn new(stack: &SetStack, pairs: &MatchedPairs, targets: &Targets) -> Self {
        Self {
            pred: stack.boxes_cxcywh.flatten(0, 2).index_select(0, &pairs.queries),
            target: targets.boxes_cxcywh.to_kind(Kind::Float).index_select(0, &pairs.targets),
        }
    }

    fn detached_xyxy(&self) -> (Tensor, Tensor) {
        (boxes::cxcywh_to_xyxy(&self.pred.detach()), boxes::cxcywh_to_xyxy(&self.target))
    }
}

/// Where the class of each pair lies in the flattened logits: `[S * N]`. A single column holds every class.
fn class_slots(stack: &SetStack, pairs: &MatchedPairs, targets: &Targets) -> Tensor {
    let classes = stack.dims()[3];
    let labels = targets.labels.index_select(0, &pairs.targets).clamp(0, classes - 1);
    &pairs.queries * classes + labels
}

/// Zeros like `logits` with `values` in the slots; a query has one object, so no slot is written twice.
fn fill_slots(logits: &Tensor, slots: &Tensor, values: &Tensor) -> Tensor {
    logits.zeros_like().flatten(0, -1).scatter(0, slots, values).view_as(logits)
}

/// `[S * N]` -> `[S]`.
fn sum_by_set(pairs: &Tensor, sets: i64) -> Tensor {
    let per_set = pairs.size()[0] / sets;
    pairs.view([sets, per_set]).sum_dim_intlist(1, false, Kind::Float)
}

/// Gives the layers before the last the matching of the last.
fn share_main(assigned: &mut [Vec<Vec<Assignment>>], stacks: &[SetStack]) {
    let main = assigned[0][0].clone();
    for (sets, stack) in assigned.iter_mut().zip(stacks) {
        for (images, kind) in sets.iter_mut().zip(&stack.kinds) {
            if matches!(kind, SetKind::Aux(_)) {
                images.clone_from(&main);
            }
        }
    }
}
