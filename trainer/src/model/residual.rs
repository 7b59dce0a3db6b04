//! The residual blocks of ResNet-vd.

use guard_core::no_retain;
use tch::{Tensor, nn};

use super::layers::{Activation, ConvNormLayer, ConvShape};

/// What one residual block is built from.
#[no_retain]
#[derive(Debug, Clone, Copy)]
pub struct BlockShape {
    /// Input channels.
    pub in_channels: i64,
    /// Inner channels; a bottleneck answers with four times as many.
    pub width: i64,
    /// 1 keeps the map's size, 2 halves it.
    pub stride: i64,
    /// Whether the shortcut is a convolution; true for the first block of a stage.
    pub project: bool,
    /// Whether the norms are frozen.
    pub frozen_norm: bool,
}

/// A chain of convolutions plus a shortcut, then ReLU: `[B, C, H, W]` to `[B, C', ceil(H/s), ceil(W/s)]`.
///
/// State keys `branch2a`, `branch2b`, for bottlenecks `branch2c`, and `short` or `short.conv`.
#[no_retain]
#[derive(Debug)]
pub struct ResidualBlock {
    branch: Vec<ConvNormLayer>,
    short: Shortcut,
}

/// How a block's input reaches the sum.
#[no_retain]
#[derive(Debug)]
enum Shortcut {
    Identity,
    Project(ConvNormLayer),
    /// Average over 2x2 cells, then the projection ("vd").
    PoolProject(ConvNormLayer),
}

impl ResidualBlock {
    /// Two 3x3 convolutions, as in ResNet-18 and 34.
    pub fn basic(path: &nn::Path, shape: BlockShape) -> Self {
        let first = ConvShape::new(shape.in_channels, shape.width, 3).with_stride(shape.stride);
        let branch = vec![
            layer(path / "branch2a", first, Activation::Relu, shape),
            layer(
                path / "branch2b",
                ConvShape::new(shape.width, shape.width, 3),
                Activation::Identity,
                shape,
            ),
        ];
        Self { branch, short: Shortcut::new(path, shape, shape.width) }
    }

    /// 1x1, 3x3 and 1x1 convolutions with the stride in the middle, as in ResNet-50-vd and 101-vd.
    pub fn bottleneck(path: &nn::Path, shape: BlockShape) -> Self {
        let (width, out) = (shape.width, 4 * shape.width);
        let middle = ConvShape::new(width, width, 3).with_stride(shape.stride);
        let branch = vec![
            layer(path / "branch2a", ConvShape::new(shape.in_channels, width, 1), Activation::Relu, shape),
            layer(path / "branch2b", middle, Activation::Relu, shape),
            layer(path / "branch2c", ConvShape::new(width, out, 1), Activation::Identity, shape),
        ];
        Self { branch, short: Shortcut::new(path, shape, out) }
    }

    /// `x` is `[B, C, H, W]`.
    pub fn forward(&self, x: &Tensor, train: bool) -> Tensor {
        let mut out = x.shallow_clone();
        for layer in &self.branch {
            out = layer.forward(&out, train);
        }
        // The sum and its ReLU reuse the memory of the last norm's output, which no backward pass reads.
        let mut sum = out.g_add_(&self.short.forward(x, train));
        sum.relu_()
    }

    /// Stops training of the block.
    pub fn freeze(&self) {
        self.branch.iter().for_each(ConvNormLayer::freeze);
        self.short.freeze();
    }
}

impl Shortcut {
    fn new(path: &nn::Path, shape: BlockShape, out_channels: i64) -> Self {
        let conv = ConvShape::new(shape.in_channels, out_channels, 1);
        match (shape.project, shape.stride) {
            (false, _) => Self::Identity,
            (true, 2) => Self::PoolProject(layer(path / "short" / "conv", conv, Activation::Identity, shape)),
            (true, _) => Self::Project(layer(path / "short", conv, Activation::Identity, shape)),
        }
    }

    fn forward(&self, x: &Tensor, train: bool) -> Tensor {
        match self {
            Self::Identity => x.shallow_clone(),
            Self::Project(conv) => conv.forward(x, train),
            Self::PoolProject(conv) => {
                conv.forward(&x.avg_pool2d([2, 2], [2, 2], [0, 0], true, true, None), train)
            }
        }
    }

    fn freeze(&self) {
        match self {
            Self::Identity => {}
            Self::Project(conv) | Self::PoolProject(conv) => conv.freeze(),
        }
    }
}

fn layer(path: nn::Path, conv: ConvShape, activation: Activation, shape: BlockShape) -> ConvNormLayer {
    ConvNormLayer::with_norm(&path, conv, activation, shape.frozen_norm)
}
