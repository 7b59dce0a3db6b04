//! The fusion blocks of the hybrid encoder.

use guard_core::no_retain;
use tch::nn::Module;
use tch::{Tensor, nn};

use super::layers::{Activation, ConvNormLayer, ConvShape};

/// The sum of a 3x3 and a 1x1 convolution, each with its norm, then the activation: `[B, C, H, W]` to the same shape.
///
/// For deployment the sum is one 3x3 convolution with a bias ([`crate::weights::deploy`]).
#[no_retain]
#[derive(Debug)]
pub struct RepVggBlock {
    sum: RepVggSum,
    activation: Activation,
}

/// What stands before the activation.
#[no_retain]
#[derive(Debug)]
enum RepVggSum {
    /// State keys `conv1`, `conv2`.
    Branches(Box<[ConvNormLayer; 2]>),
    /// State key `conv`.
    Folded(nn::Conv2D),
}

impl RepVggBlock {
    /// `channels` in and out.
    pub fn new(path: &nn::Path, channels: i64, activation: Activation) -> Self {
        let layer = |name: &str, kernel| {
            ConvNormLayer::new(
                &(path / name),
                ConvShape::new(channels, channels, kernel),
                Activation::Identity,
            )
        };
        let branches = Box::new([layer("conv1", 3), layer("conv2", 1)]);
        Self { sum: RepVggSum::Branches(branches), activation }
    }

    /// The same block folded into one convolution, for evaluation; `channels` in and out.
    pub fn deployed(path: &nn::Path, channels: i64, activation: Activation) -> Self {
        let config = nn::ConvConfig { padding: 1, ..nn::ConvConfig::default() };
        let conv = nn::conv2d(path / "conv", channels, channels, 3, config);
        Self { sum: RepVggSum::Folded(conv), activation }
    }

    /// `x` is `[B, C, H, W]`.
    pub fn forward(&self, x: &Tensor, train: bool) -> Tensor {
        let sum = match &self.sum {
            RepVggSum::Branches(branches) => {
                let mut sum = branches[0].forward(x, train);
                sum.g_add_(&branches[1].forward(x, train))
            }
            RepVggSum::Folded(conv) => conv.forward(x),
        };
        self.activation.apply(sum)
    }
}

/// Two 1x1 paths, one of them through RepVGG blocks, summed: `[B, C, H, W]` to `[B, D, H, W]`.
#[no_retain]
#[derive(Debug)]
pub struct CspRepLayer {
    conv1: ConvNormLayer,
    conv2: ConvNormLayer,
    bottlenecks: Vec<RepVggBlock>,
    conv3: Option<ConvNormLayer>,
}

impl CspRepLayer {
    /// `num_blocks` RepVGG blocks of width `out_channels * expansion`, made by `new_block` ([`RepVggBlock::new`], or
    /// [`RepVggBlock::deployed`] for evaluation); `conv3` exists where that width is not `out_channels`.
    pub fn new(
        path: &nn::Path,
        channels: [i64; 2],
        num_blocks: usize,
        expansion: f64,
        activation: Activation,
        new_block: impl Fn(&nn::Path, i64, Activation) -> RepVggBlock,
    ) -> Self {
        let [in_channels, out_channels] = channels;
        let hidden = (out_channels as f64 * expansion) as i64;
        let layer = |name: &str, from, to| {
            ConvNormLayer::new(&(path / name), ConvShape::new(from, to, 1), activation)
        };
        let block = |i| new_block(&(path / "bottlenecks" / i), hidden, activation);
        Self {
            conv1: layer("conv1", in_channels, hidden),
            conv2: layer("conv2", in_channels, hidden),
            bottlenecks: (0..num_blocks).map(block).collect(),
            conv3: (hidden != out_channels).then(|| layer("conv3", hidden, out_channels)),
        }
    }

    /// `x` is `[B, C, H, W]`.
    pub fn forward(&self, x: &Tensor, train: bool) -> Tensor {
        let mut deep = self.conv1.forward(x, train);
        for block in &self.bottlenecks {
            deep = block.forward(&deep, train);
        }
        let sum = deep + self.conv2.forward(x, train);
        match &self.conv3 {
            Some(conv) => conv.forward(&sum, train),
            None => sum,
        }
    }
}
