//! The stack of decoder layers with iterative box refinement.

use guard_core::no_retain;
use tch::nn::Module;
use tch::{Tensor, nn};

use super::config::DecoderConfig;
use super::decoder_layer::{Memory, TransformerDecoderLayer};
use super::layers::{Mlp, init};
use super::outputs::Predictions;
use crate::ops::inverse_sigmoid;

/// The queries at the first layer.
#[derive(Debug)]
pub struct Queries {
    /// `[B, Q, D]`.
    pub content: Tensor,
    /// Boxes before the sigmoid, without gradient, `[B, Q, 4]`.
    pub boxes_unact: Tensor,
    /// Added to the self-attention's scores, `[Q, Q]`.
    pub mask: Option<Tensor>,
}

/// Decoder layers, each with its own class head and box head, and one position head for all.
#[no_retain]
#[derive(Debug)]
pub struct TransformerDecoder {
    layers: Vec<TransformerDecoderLayer>,
    query_pos_head: Mlp,
    dec_score_head: Vec<nn::Linear>,
    dec_bbox_head: Vec<Mlp>,
    eval_layer: usize,
}

impl TransformerDecoder {
    /// State keys `decoder.layers`, `query_pos_head`, `dec_score_head`, `dec_bbox_head` under `path`.
    pub fn new(path: &nn::Path, config: &DecoderConfig, num_classes: i64) -> Self {
        let (dim, count) = (config.hidden_dim, config.num_layers);
        let layer = |i| TransformerDecoderLayer::new(&(path / "decoder" / "layers" / i), config);
        let layers: Vec<_> = (0..count).map(layer).collect();
        if let Some((first, rest)) = layers.split_first() {
            rest.iter().for_each(|layer| layer.copy_initial(first));
        }
        let class_head = |i| init::class_head(path / "dec_score_head" / i, dim, num_classes);
        Self {
            layers,
            query_pos_head: Mlp::query_pos_head(&(path / "query_pos_head"), dim),
            dec_score_head: (0..count).map(class_head).collect(),
            dec_bbox_head: (0..count).map(|i| Mlp::box_head(&(path / "dec_bbox_head" / i), dim)).collect(),
            eval_layer: config.eval_layer(),
        }
    }

    /// The answers of every layer, first layer first.
    ///
    /// A layer refines the boxes of the one before. Its answer keeps the gradient of the previous layer's own
    /// refinement ("look forward twice"), what it hands on keeps none.
    pub fn forward_train(&self, queries: &Queries, memory: &Memory) -> Vec<Predictions> {
        let mut x = queries.content.shallow_clone();
        let mut reference = queries.boxes_unact.sigmoid();
        let mut previous: Option<Tensor> = None;
        let mut answers = Vec::with_capacity(self.layers.len());
        for i in 0..self.layers.len() {
            x = self.run_layer(i, &x, &reference, queries, memory, true);
            let delta = self.dec_bbox_head[i].forward(&x);
            let refined = (&delta + inverse_sigmoid(&reference)).sigmoid();
            let pred_boxes = match &previous {
                None => refined.shallow_clone(),
                Some(previous) => (&delta + inverse_sigmoid(previous)).sigmoid(),
            };
            answers.push(Predictions { pred_logits: self.dec_score_head[i].forward(&x), pred_boxes });
            reference = refined.detach();
            previous = Some(refined);
        }
        answers
    }

    /// The answer of the evaluation layer; layers after it do not run.
    pub fn forward_eval(&self, queries: &Queries, memory: &Memory) -> Predictions {
        let mut x = queries.content.shallow_clone();
        let mut reference = queries.boxes_unact.sigmoid();
        for i in 0..=self.eval_layer {
            x = self.run_layer(i, &x, &reference, queries, memory, false);
            reference = (self.dec_bbox_head[i].forward(&x) + inverse_sigmoid(&reference)).sigmoid();
        }
        let pred_logits = self.dec_score_head[self.eval_layer].forward(&x);
        Predictions { pred_logits, pred_boxes: reference }
    }

    fn run_layer(
        &self,
        i: usize,
        x: &Tensor,
        reference: &Tensor,
        queries: &Queries,
        memory: &Memory,
        train: bool,
    ) -> Tensor {
        let query_pos_embed = self.query_pos_head.forward(reference);
        self.layers[i].forward(x, reference, memory, queries.mask.as_ref(), &query_pos_embed, train)
    }
}
