//! HGNetV2's convolution layer.

use guard_core::no_retain;
use tch::nn::Module;
use tch::{Tensor, nn};

use super::affine::LearnableAffine;
use super::batch_norm::BatchNorm2d;
use super::conv_norm::ConvShape;
use super::init;

/// What the layers of one HGNetV2 have in common.
#[no_retain]
#[derive(Debug, Clone, Copy, Default)]
pub struct HgStyle {
    /// Whether a [`LearnableAffine`] follows each activation.
    pub use_lab: bool,
    /// Whether the norms are frozen.
    pub frozen_norm: bool,
}

/// `conv` (no bias), `bn`, then ReLU and perhaps `lab`: `[B, C, H, W]` to `[B, C', H', W']`.
#[no_retain]
#[derive(Debug)]
pub struct ConvBnAct {
    conv: nn::Conv2D,
    bn: BatchNorm2d,
    act: Act,
    /// Pads below and to the right by one, so that an even kernel keeps the map's size.
    pad_end: bool,
}

/// What follows the norm.
#[no_retain]
#[derive(Debug)]
enum Act {
    Identity,
    Relu(Option<LearnableAffine>),
}

impl ConvBnAct {
    /// A convolution of odd kernel with ReLU.
    pub fn new(path: &nn::Path, shape: ConvShape, style: HgStyle) -> Self {
        let lab = style.use_lab.then(|| LearnableAffine::new(&(path / "lab")));
        Self::build(path, path / "conv", shape, style, Act::Relu(lab))
    }

    /// A convolution without activation.
    pub fn linear(path: &nn::Path, shape: ConvShape, style: HgStyle) -> Self {
        Self::build(path, path / "conv", shape, style, Act::Identity)
    }

    /// A convolution of kernel 2 with ReLU that keeps the map's size; its weight is `conv.1.weight`.
    pub fn same(path: &nn::Path, shape: ConvShape, style: HgStyle) -> Self {
        let lab = style.use_lab.then(|| LearnableAffine::new(&(path / "lab")));
        let layer = Self::build(path, path / "conv" / 1, shape, style, Act::Relu(lab));
        Self { pad_end: true, ..layer }
    }

    fn build(path: &nn::Path, conv_path: nn::Path, shape: ConvShape, style: HgStyle, act: Act) -> Self {
        let config = nn::ConvConfig {
            stride: shape.stride,
            padding: (shape.kernel - 1) / 2,
            groups: shape.groups,
            bias: false,
            ws_init: init::kaiming_normal(shape.fans().0),
            ..Default::default()
        };
        let bn = path / "bn";
        Self {
            conv: nn::conv2d(conv_path, shape.in_channels, shape.out_channels, shape.kernel, config),
            bn: match style.frozen_norm {
                true => BatchNorm2d::frozen(&bn, shape.out_channels),
                false => BatchNorm2d::new(&bn, shape.out_channels),
            },
            act,
            pad_end: false,
        }
    }

    /// `x` is `[B, C, H, W]`; `train` normalises by the batch.
    pub fn forward(&self, x: &Tensor, train: bool) -> Tensor {
        let x = match self.pad_end {
            true => self.conv.forward(&pad_end(x)),
            false => self.conv.forward(x),
        };
        let mut x = self.bn.forward(&x, train);
        match &self.act {
            Act::Identity => x,
            Act::Relu(None) => x.relu_(),
            Act::Relu(Some(lab)) => lab.forward(&x.relu_()),
        }
    }

    /// Excludes all parameters from training; the norm still follows the batches unless built frozen.
    pub fn freeze(&self) {
        let _ = self.conv.ws.set_requires_grad(false);
        self.bn.freeze();
        if let Act::Relu(Some(lab)) = &self.act {
            lab.freeze();
        }
    }
}

/// A row of zeros below and a column of zeros to the right of a map `[B, C, H, W]`.
pub fn pad_end(x: &Tensor) -> Tensor {
    x.constant_pad_nd([0, 1, 0, 1])
}
