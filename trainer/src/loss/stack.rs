//! Prediction sets of one shape, stacked, so that one tensor operation serves all of them.

use tch::{Kind, Tensor};

use crate::model::{Predictions, TrainOutputs};

/// Which part of the model a prediction set comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SetKind {
    /// The last decoder layer.
    Main,
    /// A decoder layer before the last.
    Aux(usize),
    /// The query selection of the encoder.
    Enc(usize),
    /// A decoder layer on the denoising queries.
    Dn(usize),
}

impl SetKind {
    /// What the names of its loss terms end in.
    pub fn suffix(self) -> String {
        match self {
            Self::Main => String::new(),
            Self::Aux(i) => format!("_aux_{i}"),
            Self::Enc(i) => format!("_enc_{i}"),
            Self::Dn(i) => format!("_dn_{i}"),
        }
    }
}

/// A prediction set and where it comes from.
pub(super) type NamedSet<'a> = (SetKind, &'a Predictions);

/// S prediction sets of equal shape: a step value.
#[derive(Debug)]
pub(super) struct SetStack {
    /// Where each set comes from, S entries.
    pub kinds: Vec<SetKind>,
    /// `[S, B, Q, C]` of `Float`.
    pub logits: Tensor,
    /// `[S, B, Q, 4]` of `Float`.
    pub boxes_cxcywh: Tensor,
}

impl SetStack {
    /// Groups sets by shape and stacks each group; the order within and of the groups is that of the sets.
    pub fn by_shape(sets: Vec<NamedSet<'_>>) -> Vec<Self> {
        let mut groups: Vec<Vec<NamedSet<'_>>> = Vec::new();
        for set in sets {
            let shape = set.1.pred_logits.size();
            match groups.iter_mut().find(|group| group[0].1.pred_logits.size() == shape) {
                Some(group) => group.push(set),
                None => groups.push(vec![set]),
            }
        }
        groups.iter().map(|group| Self::new(group)).collect()
    }

    /// Stacks sets of one shape. Under mixed precision the outputs are half floats; losses are always `Float`.
    fn new(sets: &[NamedSet<'_>]) -> Self {
        let logits: Vec<&Tensor> = sets.iter().map(|(_, set)| &set.pred_logits).collect();
        let boxes: Vec<&Tensor> = sets.iter().map(|(_, set)| &set.pred_boxes).collect();
        Self {
            kinds: sets.iter().map(|&(kind, _)| kind).collect(),
            logits: Tensor::stack(&logits, 0).to_kind(Kind::Float),
            boxes_cxcywh: Tensor::stack(&boxes, 0).to_kind(Kind::Float),
        }
    }

    /// S, B, Q, C.
    pub fn dims(&self) -> [i64; 4] {
        let (s, b, q, c) = self.logits.size4().expect("logits are [S, B, Q, C]");
        [s, b, q, c]
    }
}

/// The sets that are matched to the objects: last layer, layers before it, query selection.
pub(super) fn matching_sets(outputs: &TrainOutputs) -> Vec<NamedSet<'_>> {
    let aux = outputs.aux.iter().enumerate().map(|(i, set)| (SetKind::Aux(i), set));
    let enc = outputs.enc_aux.iter().enumerate().map(|(i, set)| (SetKind::Enc(i), set));
    std::iter::once((SetKind::Main, &outputs.main)).chain(aux).chain(enc).collect()
}

/// The sets whose queries were made from the objects.
pub(super) fn denoising_sets(outputs: &TrainOutputs) -> Vec<NamedSet<'_>> {
    outputs.dn_aux.iter().enumerate().map(|(i, set)| (SetKind::Dn(i), set)).collect()
}
