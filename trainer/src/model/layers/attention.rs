//! Multi-head attention with PyTorch's packed parameters.

use guard_core::{Param, no_retain};
use tch::nn::{Init, Module};
use tch::{Tensor, nn};

use super::{Dropout, init};

/// Self-attention in which queries and keys may differ from values: `in_proj_weight [3D, D]`,
/// `in_proj_bias [3D]`, `out_proj`.
#[no_retain]
#[derive(Debug)]
pub struct MultiheadAttention {
    in_proj_weight: Param,
    in_proj_bias: Param,
    out_proj: nn::Linear,
    heads: i64,
    dropout: Dropout,
}

impl MultiheadAttention {
    /// `dim` must be a multiple of `heads`; `dropout` is the share of attention dropped in training. PyTorch's initial
    /// values.
    pub fn new(path: &nn::Path, dim: i64, heads: i64, dropout: f64) -> Self {
        let config = nn::LinearConfig {
            ws_init: init::torch_default(dim),
            bs_init: Some(Init::Const(0.)),
            bias: true,
        };
        Self {
            in_proj_weight: Param::new(
                path,
                "in_proj_weight",
                &[3 * dim, dim],
                init::xavier_uniform(dim, 3 * dim),
            ),
            in_proj_bias: Param::new(path, "in_proj_bias", &[3 * dim], Init::Const(0.)),
            out_proj: nn::linear(path / "out_proj", dim, dim, config),
            heads,
            dropout: Dropout::new(dropout),
        }
    }

    /// Attends from `query_key` to itself and mixes `value`, all `[B, N, D]`.
    ///
    /// `mask` `[N, N]` is added to the scores: 0 where row may see column, minus infinity where not.
    pub fn forward(&self, query_key: &Tensor, value: &Tensor, mask: Option<&Tensor>, train: bool) -> Tensor {
        let dim = value.size()[2];
        let (weight, bias) = (self.in_proj_weight.tensor(), self.in_proj_bias.tensor());
        let (weight, bias) =
            (weight.split_with_sizes([2 * dim, dim], 0), bias.split_with_sizes([2 * dim, dim], 0));
        let query_key = query_key.linear(&weight[0], Some(&bias[0])).chunk(2, -1);
        let value = value.linear(&weight[1], Some(&bias[1]));
        let mixed = Tensor::scaled_dot_product_attention(
            &self.split_heads(&query_key[0]),
            &self.split_heads(&query_key[1]),
            &self.split_heads(&value),
            mask,
            self.dropout.rate(train),
            false,
            None,
            false,
        ); // [B, H, N, D/H]
        self.out_proj.forward(&mixed.transpose(1, 2).flatten(2, 3))
    }

    /// `[B, N, D]` to `[B, H, N, D/H]`.
    fn split_heads(&self, x: &Tensor) -> Tensor {
        x.unflatten(-1, [self.heads, -1]).transpose(1, 2)
    }

    /// Takes over the initial values of `other`, which has the same shape.
    pub fn copy_initial(&self, other: &Self) {
        init::assign(&self.in_proj_weight.tensor(), &other.in_proj_weight.tensor());
        init::assign_linear(&self.out_proj, &other.out_proj);
    }
}
