//! Convolution, norm and activation as one layer.

use guard_core::no_retain;
use tch::nn::Module;
use tch::{Tensor, nn};

use super::activation::Activation;
use super::batch_norm::BatchNorm2d;
use super::init;

/// Channels, kernel and stride of a convolution.
#[no_retain]
#[derive(Debug, Clone, Copy)]
pub struct ConvShape {
    /// Input channels.
    pub in_channels: i64,
    /// Output channels.
    pub out_channels: i64,
    /// Kernel side; the padding is `(kernel - 1) / 2`.
    pub kernel: i64,
    /// Step in both directions.
    pub stride: i64,
    /// Parts that the channels are split into; the input channels for a depthwise convolution.
    pub groups: i64,
}

impl ConvShape {
    /// A convolution of side `kernel` and stride 1.
    pub fn new(in_channels: i64, out_channels: i64, kernel: i64) -> Self {
        Self { in_channels, out_channels, kernel, stride: 1, groups: 1 }
    }

    /// The same convolution with another stride.
    pub fn with_stride(self, stride: i64) -> Self {
        Self { stride, ..self }
    }

    /// The same convolution with the channels split into `groups`.
    pub fn with_groups(self, groups: i64) -> Self {
        Self { groups, ..self }
    }

    /// Inputs of an output, and outputs of an input.
    pub fn fans(self) -> (i64, i64) {
        let window = self.kernel * self.kernel;
        (self.in_channels / self.groups * window, self.out_channels / self.groups * window)
    }
}

/// `conv` (no bias), `norm`, activation: `[B, C, H, W]` to `[B, C', H', W']`.
#[no_retain]
#[derive(Debug)]
pub struct ConvNormLayer {
    conv: nn::Conv2D,
    norm: BatchNorm2d,
    activation: Activation,
}

impl ConvNormLayer {
    /// PyTorch's default weights and a trainable norm.
    pub fn new(path: &nn::Path, shape: ConvShape, activation: Activation) -> Self {
        let norm = BatchNorm2d::new(&(path / "norm"), shape.out_channels);
        Self::build(path, shape, init::torch_default(shape.fans().0), norm, activation)
    }

    /// As [`new`](Self::new), with the norm frozen when asked.
    pub fn with_norm(path: &nn::Path, shape: ConvShape, activation: Activation, frozen: bool) -> Self {
        if !frozen {
            return Self::new(path, shape, activation);
        }
        let norm = BatchNorm2d::frozen(&(path / "norm"), shape.out_channels);
        Self::build(path, shape, init::torch_default(shape.fans().0), norm, activation)
    }

    /// A projection with a Xavier weight and no activation, as the decoder's `input_proj`.
    pub fn projection(path: &nn::Path, shape: ConvShape) -> Self {
        let (fan_in, fan_out) = shape.fans();
        let norm = BatchNorm2d::new(&(path / "norm"), shape.out_channels);
        Self::build(path, shape, init::xavier_uniform(fan_in, fan_out), norm, Activation::Identity)
    }

    fn build(
        path: &nn::Path,
        shape: ConvShape,
        ws_init: nn::Init,
        norm: BatchNorm2d,
        activation: Activation,
    ) -> Self {
        let config = nn::ConvConfig {
            stride: shape.stride,
            padding: (shape.kernel - 1) / 2,
            groups: shape.groups,
            bias: false,
            ws_init,
            ..Default::default()
        };
        let conv = nn::conv2d(path / "conv", shape.in_channels, shape.out_channels, shape.kernel, config);
        Self { conv, norm, activation }
    }

    /// `x` is `[B, C, H, W]`; `train` normalises by the batch.
    pub fn forward(&self, x: &Tensor, train: bool) -> Tensor {
        self.activation.apply(self.norm.forward(&self.conv.forward(x), train))
    }

    /// Excludes all parameters from training; the norm still follows the batches unless built frozen.
    pub fn freeze(&self) {
        let _ = self.conv.ws.set_requires_grad(false);
        self.norm.freeze();
    }
}
