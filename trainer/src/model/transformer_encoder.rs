//! The attention layer of the hybrid encoder.

use guard_core::no_retain;
use tch::nn::Module;
use tch::{Tensor, nn};

use super::config::HybridEncoderConfig;
use super::layers::{Activation, Dropout, MultiheadAttention, init};

/// Self-attention and a feed-forward part, each added to its input and normed before or after: `[B, N, D]` to
/// `[B, N, D]`.
#[no_retain]
#[derive(Debug)]
pub struct TransformerEncoderLayer {
    self_attn: MultiheadAttention,
    linear1: nn::Linear,
    linear2: nn::Linear,
    norm1: nn::LayerNorm,
    norm2: nn::LayerNorm,
    activation: Activation,
    dropout: Dropout,
    normalize_before: bool,
}

impl TransformerEncoderLayer {
    /// Widths and heads of the encoder.
    pub fn new(path: &nn::Path, config: &HybridEncoderConfig) -> Self {
        let (dim, hidden) = (config.hidden_dim, config.dim_feedforward);
        Self {
            self_attn: MultiheadAttention::new(&(path / "self_attn"), dim, config.nhead, config.dropout),
            linear1: init::linear(path / "linear1", dim, hidden),
            linear2: init::linear(path / "linear2", hidden, dim),
            norm1: init::layer_norm(path / "norm1", dim),
            norm2: init::layer_norm(path / "norm2", dim),
            activation: config.enc_act,
            dropout: Dropout::new(config.dropout),
            normalize_before: config.normalize_before,
        }
    }

    /// `x` `[B, N, D]`; `pos` `[1, N, D]` is added to queries and keys.
    pub fn forward(&self, x: &Tensor, pos: &Tensor, train: bool) -> Tensor {
        let attend = |x: &Tensor| self.self_attn.forward(&(x + pos), x, None, train);
        let x = self.add_and_norm(&self.norm1, x, attend, train);
        self.add_and_norm(&self.norm2, &x, |x| self.feed_forward(x, train), train)
    }

    fn add_and_norm(
        &self,
        norm: &nn::LayerNorm,
        x: &Tensor,
        part: impl Fn(&Tensor) -> Tensor,
        train: bool,
    ) -> Tensor {
        match self.normalize_before {
            true => x + self.dropout.forward(part(&norm.forward(x)), train),
            false => norm.forward(&(x + self.dropout.forward(part(x), train))),
        }
    }

    fn feed_forward(&self, x: &Tensor, train: bool) -> Tensor {
        let hidden = self.activation.apply(self.linear1.forward(x));
        self.linear2.forward(&self.dropout.forward(hidden, train))
    }

    /// Takes over the initial values of `other`: the layers of a stack start equal.
    pub fn copy_initial(&self, other: &Self) {
        self.self_attn.copy_initial(&other.self_attn);
        init::assign_linear(&self.linear1, &other.linear1);
        init::assign_linear(&self.linear2, &other.linear2);
    }
}

/// A stack of layers under the key `layers`.
#[no_retain]
#[derive(Debug)]
pub struct TransformerEncoder {
    layers: Vec<TransformerEncoderLayer>,
}

impl TransformerEncoder {
    /// `num_encoder_layers` layers with the same initial values.
    pub fn new(path: &nn::Path, config: &HybridEncoderConfig) -> Self {
        let path = path / "layers";
        let layers: Vec<_> = (0..config.num_encoder_layers)
            .map(|i| TransformerEncoderLayer::new(&(&path / i), config))
            .collect();
        if let Some((first, rest)) = layers.split_first() {
            rest.iter().for_each(|layer| layer.copy_initial(first));
        }
        Self { layers }
    }

    /// `x` `[B, N, D]`, `pos` `[1, N, D]`.
    pub fn forward(&self, x: &Tensor, pos: &Tensor, train: bool) -> Tensor {
        self.layers.iter().fold(x.shallow_clone(), |x, layer| layer.forward(&x, pos, train))
    }
}
