//! The HGNetV2 backbone.

use guard_core::no_retain;
use tch::{Tensor, nn};

use super::config_backbone::{HgNetV2Config, HgStageConfig};
use super::hg_block::{HgBlock, HgBlockShape};
use super::hg_stem::HgStem;
use super::layers::ConvShape;
use super::layers::conv_bn_act::{ConvBnAct, HgStyle};

/// A stem and four stages.
///
/// # Shapes
/// `[B, 3, h, w]` to `[B, C3, h/8, w/8]`, `[B, C4, h/16, w/16]`, `[B, C5, h/32, w/32]`.
#[no_retain]
#[derive(Debug)]
pub struct HgNetV2 {
    stem: HgStem,
    stages: Vec<HgStage>,
}

/// Blocks of one width, behind a depthwise convolution that halves the map.
#[no_retain]
#[derive(Debug)]
pub struct HgStage {
    downsample: Option<ConvBnAct>,
    blocks: Vec<HgBlock>,
}

impl HgNetV2 {
    /// Builds the backbone under `path`; `stem` and `stages` are its state keys.
    pub fn new(path: &nn::Path, config: &HgNetV2Config) -> Self {
        let style = HgStyle { use_lab: config.use_lab, frozen_norm: config.freeze_norm };
        let (stem, stages) = config.arch();
        let mut in_channels = stem[1];
        let mut built = Vec::with_capacity(stages.len());
        for (i, stage) in stages.iter().enumerate() {
            built.push(HgStage::new(&(path / "stages" / i), in_channels, stage, style));
            in_channels = stage.out_channels;
        }
        let backbone = Self { stem: HgStem::new(&(path / "stem"), stem, style), stages: built };
        backbone.freeze(config.freeze_at);
        backbone
    }

    /// Feature maps of strides 8, 16 and 32.
    pub fn forward(&self, images: &Tensor, train: bool) -> Vec<Tensor> {
        let mut x = self.stem.forward(images, train); // [B, C, h/4, w/4]
        let mut maps = Vec::with_capacity(self.stages.len());
        for stage in &self.stages {
            x = stage.forward(&x, train);
            maps.push(x.shallow_clone());
        }
        maps.split_off(1)
    }

    /// Stops training of the stem and the first `freeze_at` stages.
    fn freeze(&self, freeze_at: i64) {
        let Ok(stages) = usize::try_from(freeze_at) else { return };
        self.stem.freeze();
        self.stages.iter().take(stages).for_each(HgStage::freeze);
    }
}

impl HgStage {
    /// State keys `downsample` and `blocks`.
    pub fn new(path: &nn::Path, in_channels: i64, config: &HgStageConfig, style: HgStyle) -> Self {
        let halve = ConvShape::new(in_channels, in_channels, 3).with_stride(2).with_groups(in_channels);
        let block = |i: usize| {
            let shape = HgBlockShape {
                in_channels: if i == 0 { in_channels } else { config.out_channels },
                mid_channels: config.mid_channels,
                out_channels: config.out_channels,
                layers: config.layers,
                kernel: config.kernel,
                light: config.light,
                identity: i > 0,
            };
            HgBlock::new(&(path / "blocks" / i), shape, style)
        };
        Self {
            downsample: config.downsample.then(|| ConvBnAct::linear(&(path / "downsample"), halve, style)),
            blocks: (0..config.blocks).map(block).collect(),
        }
    }

    /// `x` is `[B, C, H, W]`; the answer `[B, C', H/2, W/2]`, or `[B, C', H, W]` without `downsample`.
    pub fn forward(&self, x: &Tensor, train: bool) -> Tensor {
        let x = match &self.downsample {
            Some(conv) => conv.forward(x, train),
            None => x.shallow_clone(),
        };
        self.blocks.iter().fold(x, |x, block| block.forward(&x, train))
    }

    fn freeze(&self) {
        self.downsample.iter().for_each(ConvBnAct::freeze);
        self.blocks.iter().for_each(HgBlock::freeze);
    }
}
