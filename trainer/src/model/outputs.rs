//! What a forward pass returns: step values, never kept.

use tch::Tensor;

/// Class logits and boxes of a set of queries.
#[derive(Debug)]
pub struct Predictions {
    /// `[B, Q, C]`, before the sigmoid.
    pub pred_logits: Tensor,
    /// `[B, Q, 4]`, centre, width, height relative to the image.
    pub pred_boxes: Tensor,
}

/// How the contrastive denoising queries of a batch are laid out.
#[derive(Debug, Clone, PartialEq)]
pub struct DnMeta {
    /// Per image: positions of its positive queries among the denoising queries.
    pub positive_idx: Vec<Vec<i64>>,
    /// Groups of positive and negative queries.
    pub num_groups: i64,
    /// Denoising queries, then matching queries.
    pub split: [i64; 2],
}

/// All supervised outputs of a training forward pass.
#[derive(Debug)]
pub struct TrainOutputs {
    /// The last decoder layer.
    pub main: Predictions,
    /// The decoder layers before the last.
    pub aux: Vec<Predictions>,
    /// The query selection of the encoder.
    pub enc_aux: Vec<Predictions>,
    /// Every decoder layer on the denoising queries; empty without denoising.
    pub dn_aux: Vec<Predictions>,
    /// Layout of the denoising queries.
    pub dn_meta: Option<DnMeta>,
}
