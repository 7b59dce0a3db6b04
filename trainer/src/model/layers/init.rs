//! Initial values as PyTorch and RT-DETR draw them.
//!
//! tch's own defaults differ from PyTorch's (a gain of sqrt 2 on linear and convolution weights, uniform norm
//! weights), so every layer here states its initial values.

use tch::Tensor;
use tch::nn::{self, Init};

/// The bias that makes a fresh classifier answer 0.01: `-ln((1 - 0.01) / 0.01)`.
pub fn prior_bias() -> Init {
    Init::Const(-(0.99_f64 / 0.01).ln())
}

/// PyTorch's default for a weight with `fan_in` inputs per output.
pub fn torch_default(fan_in: i64) -> Init {
    let bound = 1. / (fan_in as f64).sqrt();
    Init::Uniform { lo: -bound, up: bound }
}

/// Kaiming's normal distribution for a layer in front of a ReLU.
pub fn kaiming_normal(fan_in: i64) -> Init {
    Init::Randn { mean: 0., stdev: (2. / fan_in as f64).sqrt() }
}

/// Xavier's uniform distribution with gain 1.
pub fn xavier_uniform(fan_in: i64, fan_out: i64) -> Init {
    let bound = (6. / (fan_in + fan_out) as f64).sqrt();
    Init::Uniform { lo: -bound, up: bound }
}

/// A linear layer with PyTorch's default values.
pub fn linear(path: nn::Path, in_dim: i64, out_dim: i64) -> nn::Linear {
    linear_with(path, in_dim, out_dim, torch_default(in_dim), None)
}

/// A linear layer with a Xavier weight and, without `bias`, PyTorch's default bias.
pub fn linear_xavier(path: nn::Path, in_dim: i64, out_dim: i64, bias: Option<Init>) -> nn::Linear {
    linear_with(path, in_dim, out_dim, xavier_uniform(in_dim, out_dim), bias)
}

/// A linear layer that starts as the constant zero.
pub fn linear_zero(path: nn::Path, in_dim: i64, out_dim: i64) -> nn::Linear {
    linear_with(path, in_dim, out_dim, Init::Const(0.), Some(Init::Const(0.)))
}

/// A class head: PyTorch's default weight and the [`prior_bias`].
pub fn class_head(path: nn::Path, in_dim: i64, classes: i64) -> nn::Linear {
    linear_with(path, in_dim, classes, torch_default(in_dim), Some(prior_bias()))
}

/// A layer norm over the last `dim` channels, eps 1e-5.
pub fn layer_norm(path: nn::Path, dim: i64) -> nn::LayerNorm {
    nn::layer_norm(path, vec![dim], Default::default())
}

fn linear_with(
    path: nn::Path,
    in_dim: i64,
    out_dim: i64,
    ws_init: Init,
    bs_init: Option<Init>,
) -> nn::Linear {
    nn::linear(path, in_dim, out_dim, nn::LinearConfig { ws_init, bs_init, bias: true })
}

/// Writes the values of `source` into the leaf `target` of the same shape.
pub fn assign(target: &Tensor, source: &Tensor) {
    target.detach().copy_(&source.detach());
}

/// Writes weight and bias of `source` into `target`.
pub fn assign_linear(target: &nn::Linear, source: &nn::Linear) {
    assign(&target.ws, &source.ws);
    if let (Some(target), Some(source)) = (&target.bs, &source.bs) {
        assign(target, source);
    }
}
