//! The block of HGNetV2.

use guard_core::no_retain;
use tch::{Tensor, nn};

use super::layers::ConvShape;
use super::layers::conv_bn_act::{ConvBnAct, HgStyle};

/// What one block is built from.
#[no_retain]
#[derive(Debug, Clone, Copy)]
pub struct HgBlockShape {
    /// Input channels.
    pub in_channels: i64,
    /// Channels of every layer.
    pub mid_channels: i64,
    /// Output channels, an even number.
    pub out_channels: i64,
    /// Layers of the chain.
    pub layers: usize,
    /// Kernel side of the layers, an odd number.
    pub kernel: i64,
    /// Whether a layer is a 1x1 and a depthwise convolution instead of a full one.
    pub light: bool,
    /// Whether the input is added to the answer; true for all but the first block of a stage.
    pub identity: bool,
}

/// A chain of layers whose every answer reaches the end: `[B, C, H, W]` to `[B, C', H, W]`.
#[no_retain]
#[derive(Debug)]
pub struct HgBlock {
    /// One convolution each, or two of a light layer.
    layers: Vec<Vec<ConvBnAct>>,
    aggregation_squeeze_conv: ConvBnAct,
    aggregation_excitation_conv: ConvBnAct,
    identity: bool,
}

impl HgBlock {
    /// State keys `layers`, `aggregation_squeeze_conv`, `aggregation_excitation_conv`.
    pub fn new(path: &nn::Path, shape: HgBlockShape, style: HgStyle) -> Self {
        let HgBlockShape { in_channels, mid_channels, out_channels, .. } = shape;
        let layer = |i: usize| {
            let from = if i == 0 { in_channels } else { mid_channels };
            build_layer(&(path / "layers" / i), from, shape, style)
        };
        let all = in_channels + shape.layers as i64 * mid_channels;
        let conv = |name: &str, from, to| ConvBnAct::new(&(path / name), ConvShape::new(from, to, 1), style);
        let half = out_channels / 2;
        Self {
            layers: (0..shape.layers).map(layer).collect(),
            aggregation_squeeze_conv: conv("aggregation_squeeze_conv", all, half),
            aggregation_excitation_conv: conv("aggregation_excitation_conv", half, out_channels),
            identity: shape.identity,
        }
    }

    /// `x` is `[B, C, H, W]`.
    pub fn forward(&self, x: &Tensor, train: bool) -> Tensor {
        let mut answers = vec![x.shallow_clone()];
        for layer in &self.layers {
            let before = answers[answers.len() - 1].shallow_clone();
            answers.push(layer.iter().fold(before, |x, conv| conv.forward(&x, train)));
        }
        let out = self.aggregation_squeeze_conv.forward(&Tensor::cat(&answers, 1), train);
        let out = self.aggregation_excitation_conv.forward(&out, train);
        if self.identity { out + x } else { out }
    }

    /// Stops training of the block.
    pub fn freeze(&self) {
        self.layers.iter().flatten().for_each(ConvBnAct::freeze);
        self.aggregation_squeeze_conv.freeze();
        self.aggregation_excitation_conv.freeze();
    }
}

/// A full convolution, or a 1x1 without activation and one that sees each channel alone.
fn build_layer(path: &nn::Path, from: i64, shape: HgBlockShape, style: HgStyle) -> Vec<ConvBnAct> {
    let HgBlockShape { mid_channels: to, kernel, .. } = shape;
    if !shape.light {
        return vec![ConvBnAct::new(path, ConvShape::new(from, to, kernel), style)];
    }
    let depthwise = ConvShape::new(to, to, kernel).with_groups(to);
    vec![
        ConvBnAct::linear(&(path / "conv1"), ConvShape::new(from, to, 1), style),
        ConvBnAct::new(&(path / "conv2"), depthwise, style),
    ]
}
