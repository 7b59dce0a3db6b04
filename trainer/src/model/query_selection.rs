//! Choosing the encoder's cells that become queries.

use guard_core::{Param, no_retain};
use tch::nn::Module;
use tch::{Tensor, nn};

use super::anchors::generate_anchors;
use super::config::{DecoderConfig, QuerySelectMethod};
use super::decoder_layer::Memory;
use super::layers::{Mlp, init};
use super::outputs::Predictions;

/// The chosen cells.
#[derive(Debug)]
pub struct Selection {
    /// Content of the matching queries, without gradient where it comes from the encoder: `[B, Q, D]`.
    pub content: Tensor,
    /// Boxes of the queries before the sigmoid, without gradient: `[B, Q, 4]`.
    pub boxes_unact: Tensor,
    /// The encoder's own predictions for the chosen cells, with gradient.
    pub predictions: Predictions,
}

/// Scores every cell, keeps the best Q and predicts a box for each.
#[no_retain]
#[derive(Debug)]
pub struct QuerySelection {
    proj: nn::Linear,
    norm: nn::LayerNorm,
    enc_score_head: nn::Linear,
    enc_bbox_head: Mlp,
    tgt_embed: Option<nn::Embedding>,
    stored_anchors: Option<StoredAnchors>,
    config: DecoderConfig,
}

/// Anchors of the evaluation size, kept in the state as in the official checkpoints.
#[no_retain]
#[derive(Debug)]
struct StoredAnchors {
    anchors: Param,
    valid_mask: Param,
    spatial_shapes: Vec<[i64; 2]>,
}

impl QuerySelection {
    /// State keys `enc_output`, `enc_score_head`, `enc_bbox_head`, with `learn_query_content` also `tgt_embed`, with
    /// stored anchors also `anchors` and `valid_mask`.
    ///
    /// `eval_shapes` are the levels (height, width) of the evaluation size, if that is fixed.
    pub fn new(
        path: &nn::Path,
        config: &DecoderConfig,
        num_classes: i64,
        eval_shapes: Option<Vec<[i64; 2]>>,
    ) -> Self {
        let dim = config.hidden_dim;
        let scores = match config.query_select_method {
            QuerySelectMethod::Agnostic => 1,
            QuerySelectMethod::Default | QuerySelectMethod::One2many => num_classes,
        };
        let learnt = || {
            let ws_init = init::xavier_uniform(dim, config.num_queries);
            let embedding = nn::EmbeddingConfig { ws_init, ..Default::default() };
            nn::embedding(path / "tgt_embed", config.num_queries, dim, embedding)
        };
        Self {
            proj: init::linear_xavier(path / "enc_output" / "proj", dim, dim, None),
            norm: init::layer_norm(path / "enc_output" / "norm", dim),
            enc_score_head: init::class_head(path / "enc_score_head", dim, scores),
            enc_bbox_head: Mlp::box_head(&(path / "enc_bbox_head"), dim),
            tgt_embed: config.learn_query_content.then(learnt),
            stored_anchors: eval_shapes.map(|shapes| StoredAnchors::new(path, shapes, config.eps)),
            config: config.clone(),
        }
    }

    /// Chooses the queries.
    ///
    /// All cells are scored without gradient; only the chosen ones, which alone can receive any, are projected again
    /// with it. In `train`, anchors follow the maps' actual size.
    pub fn forward(&self, memory: &Memory, train: bool) -> Selection {
        let (anchors, valid) = self.anchors(memory, train);
        let valid = valid.to_kind(memory.tokens.kind());
        let index = {
            let _no_grad = tch::no_grad_guard();
            let scored = self.enc_score_head.forward(&self.project(&(&memory.tokens * &valid)));
            self.best_cells(&scored).unsqueeze(-1) // [B, Q, 1]
        };
        let chosen = gather_cells(&memory.tokens, &index) * gather_cells(&valid, &index);
        let output_memory = self.project(&chosen); // [B, Q, D]
        let boxes_unact = self.enc_bbox_head.forward(&output_memory) + gather_cells(&anchors, &index);
        let pred_logits = self.enc_score_head.forward(&output_memory);
        Selection {
            content: self.content(&output_memory),
            predictions: Predictions { pred_logits, pred_boxes: boxes_unact.sigmoid() },
            boxes_unact: boxes_unact.detach(),
        }
    }

    fn project(&self, tokens: &Tensor) -> Tensor {
        self.norm.forward(&self.proj.forward(tokens))
    }

    /// Cells of the Q best scores `[B, Q]`, best first, from class scores `[B, L, C]`.
    fn best_cells(&self, scores: &Tensor) -> Tensor {
        let queries = self.config.num_queries;
        match self.config.query_select_method {
            QuerySelectMethod::One2many => {
                let classes = scores.size()[2];
                scores.flatten(1, 2).topk(queries, -1, true, true).1.divide_scalar_mode(classes, "floor")
            }
            QuerySelectMethod::Default | QuerySelectMethod::Agnostic => {
                scores.amax(-1, false).topk(queries, -1, true, true).1
            }
        }
    }

    fn content(&self, output_memory: &Tensor) -> Tensor {
        match &self.tgt_embed {
            Some(embed) => embed.ws.unsqueeze(0).expand_as(output_memory),
            None => output_memory.detach(),
        }
    }

    fn anchors(&self, memory: &Memory, train: bool) -> (Tensor, Tensor) {
        match &self.stored_anchors {
            Some(stored) if !train && stored.spatial_shapes == memory.spatial_shapes => {
                (stored.anchors.tensor(), stored.valid_mask.tensor())
            }
            _ => generate_anchors(&memory.spatial_shapes, self.config.eps, memory.tokens.device()),
        }
    }
}

impl StoredAnchors {
    fn new(path: &nn::Path, spatial_shapes: Vec<[i64; 2]>, eps: f64) -> Self {
        let (anchors, valid) = generate_anchors(&spatial_shapes, eps, path.device());
        Self {
            anchors: Param::buffer_from(path, "anchors", &anchors),
            valid_mask: Param::buffer_from(path, "valid_mask", &valid),
            spatial_shapes,
        }
    }
}

/// Rows `index` `[B, Q, 1]` of `table` `[B or 1, L, K]`: `[B, Q, K]`.
fn gather_cells(table: &Tensor, index: &Tensor) -> Tensor {
    let (batch, queries, _) = index.size3().expect("an index is [B, Q, 1]");
    let (_, cells, width) = table.size3().expect("a table is [B, L, K]");
    let index = index.expand([batch, queries, width], false);
    table.expand([batch, cells, width], false).gather(1, &index, false)
}
