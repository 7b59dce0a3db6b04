//! The ResNet-vd backbone.

use guard_core::no_retain;
use tch::{Tensor, nn};

use super::config::ConfigError;
use super::config_backbone::PResNetConfig;
use super::layers::{Activation, ConvNormLayer, ConvShape};
use super::residual::{BlockShape, ResidualBlock};

/// Three stem convolutions, a max-pool and four stages of residual blocks.
///
/// # Shapes
/// `[B, 3, h, w]` to `[B, C3, h/8, w/8]`, `[B, C4, h/16, w/16]`, `[B, C5, h/32, w/32]`.
#[no_retain]
#[derive(Debug)]
pub struct PResNet {
    conv1: [ConvNormLayer; 3],
    res_layers: Vec<Vec<ResidualBlock>>,
}

impl PResNet {
    /// Builds the backbone under `path`; `conv1` and `res_layers` are its state keys.
    ///
    /// # Errors
    /// An unknown `depth`.
    pub fn new(path: &nn::Path, config: &PResNetConfig) -> Result<Self, ConfigError> {
        let blocks = config.stage_blocks()?;
        let mut in_channels = config.stem;
        let mut res_layers = Vec::with_capacity(blocks.len());
        for (stage, (&width, count)) in config.widths.iter().zip(blocks).enumerate() {
            let path = path / "res_layers" / stage / "blocks";
            res_layers.push(build_stage(&path, config, stage, in_channels, count));
            in_channels = width * config.block_expansion();
        }
        let backbone = Self { conv1: build_stem(&(path / "conv1"), config), res_layers };
        backbone.freeze(config.freeze_at);
        Ok(backbone)
    }

    /// Feature maps of strides 8, 16 and 32.
    pub fn forward(&self, images: &Tensor, train: bool) -> Vec<Tensor> {
        let mut x = images.shallow_clone();
        for layer in &self.conv1 {
            x = layer.forward(&x, train);
        }
        x = x.max_pool2d([3, 3], [2, 2], [1, 1], [1, 1], false); // [B, stem, h/4, w/4]
        let mut maps = Vec::with_capacity(self.res_layers.len());
        for blocks in &self.res_layers {
            for block in blocks {
                x = block.forward(&x, train);
            }
            maps.push(x.shallow_clone());
        }
        maps.split_off(1)
    }

    /// Stops training of the convolutions of the stem and the first `freeze_at` stages.
    fn freeze(&self, freeze_at: i64) {
        let Ok(stages) = usize::try_from(freeze_at) else { return };
        self.conv1.iter().for_each(ConvNormLayer::freeze);
        self.res_layers.iter().take(stages).flatten().for_each(ResidualBlock::freeze);
    }
}

fn build_stem(path: &nn::Path, config: &PResNetConfig) -> [ConvNormLayer; 3] {
    let half = config.stem / 2;
    let layer = |name: &str, shape| {
        ConvNormLayer::with_norm(&(path / name), shape, Activation::Relu, config.freeze_norm)
    };
    [
        layer("conv1_1", ConvShape::new(3, half, 3).with_stride(2)),
        layer("conv1_2", ConvShape::new(half, half, 3)),
        layer("conv1_3", ConvShape::new(half, config.stem, 3)),
    ]
}

/// `count` blocks; the first one of stages 1 to 3 halves the map, and the first of every stage projects.
fn build_stage(
    path: &nn::Path,
    config: &PResNetConfig,
    stage: usize,
    mut in_channels: i64,
    count: usize,
) -> Vec<ResidualBlock> {
    let width = config.widths[stage];
    let mut blocks = Vec::with_capacity(count);
    for i in 0..count {
        let stride = if i == 0 && stage > 0 { 2 } else { 1 };
        let shape =
            BlockShape { in_channels, width, stride, project: i == 0, frozen_norm: config.freeze_norm };
        let block = match config.block_expansion() {
            1 => ResidualBlock::basic(&(path / i), shape),
            _ => ResidualBlock::bottleneck(&(path / i), shape),
        };
        blocks.push(block);
        in_channels = width * config.block_expansion();
    }
    blocks
}
