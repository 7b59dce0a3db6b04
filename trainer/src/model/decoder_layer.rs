//! One layer of the transformer decoder.

use guard_core::no_retain;
use tch::nn::Module;
use tch::{Tensor, nn};

use super::config::DecoderConfig;
use super::layers::{Activation, Dropout, MultiheadAttention, init};
use super::ms_deform_attn::MsDeformableAttention;

/// The encoder's maps as the decoder reads them.
#[derive(Debug)]
pub struct Memory {
    /// All cells, level after level, row by row: `[B, L, D]`.
    pub tokens: Tensor,
    /// Height and width of each level.
    pub spatial_shapes: Vec<[i64; 2]>,
}

/// Self-attention among queries, deformable attention to the memory, feed-forward; each added, then normed.
#[no_retain]
#[derive(Debug)]
pub struct TransformerDecoderLayer {
    self_attn: MultiheadAttention,
    norm1: nn::LayerNorm,
    cross_attn: MsDeformableAttention,
    norm2: nn::LayerNorm,
    linear1: nn::Linear,
    linear2: nn::Linear,
    norm3: nn::LayerNorm,
    activation: Activation,
    dropout: Dropout,
}

impl TransformerDecoderLayer {
    /// Widths, heads and sampling of the decoder.
    pub fn new(path: &nn::Path, config: &DecoderConfig) -> Self {
        let (dim, hidden) = (config.hidden_dim, config.dim_feedforward);
        Self {
            self_attn: MultiheadAttention::new(&(path / "self_attn"), dim, config.nhead, config.dropout),
            norm1: init::layer_norm(path / "norm1", dim),
            cross_attn: MsDeformableAttention::new(&(path / "cross_attn"), config),
            norm2: init::layer_norm(path / "norm2", dim),
            linear1: init::linear_xavier(path / "linear1", dim, hidden, None),
            linear2: init::linear_xavier(path / "linear2", hidden, dim, None),
            norm3: init::layer_norm(path / "norm3", dim),
            activation: config.activation,
            dropout: Dropout::new(config.dropout),
        }
    }

    /// # Shapes
    /// `x` and `query_pos_embed` `[B, Q, D]`, `reference_points` `[B, Q, 4]`, `mask` `[Q, Q]` added to the
    /// self-attention's scores. Returns `[B, Q, D]`.
    pub fn forward(
        &self,
        x: &Tensor,
        reference_points: &Tensor,
        memory: &Memory,
        mask: Option<&Tensor>,
        query_pos_embed: &Tensor,
        train: bool,
    ) -> Tensor {
        let dropped = |x| self.dropout.forward(x, train);
        let attended = self.self_attn.forward(&(x + query_pos_embed), x, mask, train);
        let x = self.norm1.forward(&(x + dropped(attended)));
        let query = &x + query_pos_embed;
        let read = self.cross_attn.forward(&query, reference_points, &memory.tokens, &memory.spatial_shapes);
        let x = self.norm2.forward(&(x + dropped(read)));
        let hidden = dropped(self.activation.apply(self.linear1.forward(&x)));
        let fed = self.linear2.forward(&hidden);
        self.norm3.forward(&(x + dropped(fed)))
    }

    /// Takes over the initial values of `other`: the layers of a stack start equal.
    pub fn copy_initial(&self, other: &Self) {
        self.self_attn.copy_initial(&other.self_attn);
        self.cross_attn.copy_initial(&other.cross_attn);
        init::assign_linear(&self.linear1, &other.linear1);
        init::assign_linear(&self.linear2, &other.linear2);
    }
}
