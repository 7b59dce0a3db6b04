//! What decides the shape of a backbone.

use guard_core::no_retain;
use serde::{Deserialize, Serialize};

use super::config::ConfigError;
use super::config_check::{BACKBONE_LEVELS, at_least, multiple};

/// Which backbone, and its shape.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum BackboneConfig {
    /// ResNet-vd.
    #[serde(rename = "presnet")]
    PResNet(PResNetConfig),
    /// HGNetV2.
    #[serde(rename = "hgnetv2")]
    HgNetV2(HgNetV2Config),
}

/// The ResNet-vd backbone.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PResNetConfig {
    /// 18 and 34 use basic blocks, 50 and 101 bottlenecks.
    pub depth: u32,
    /// Channels after the stem, an even number.
    pub stem: i64,
    /// Channels of the four stages before the expansion of bottlenecks.
    pub widths: [i64; 4],
    /// Blocks of the four stages; absent, those of `depth`.
    pub blocks: Option<[usize; 4]>,
    /// -1 trains everything, n >= 0 freezes the stem and the first n stages.
    pub freeze_at: i64,
    /// Normalise by stored statistics only, and train no norm.
    pub freeze_norm: bool,
}

/// The HGNetV2 backbone.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HgNetV2Config {
    /// The published size.
    pub name: HgNetV2Name,
    /// Put a learnt scale and shift behind each activation.
    pub use_lab: bool,
    /// -1 trains everything, n >= 0 freezes the stem and the first n stages.
    pub freeze_at: i64,
    /// Normalise by stored statistics only, and train no norm.
    pub freeze_norm: bool,
    /// Channels inside and after the stem; absent, those of `name`.
    pub stem: Option<[i64; 2]>,
    /// The four stages; absent, those of `name`.
    pub stages: Option<[HgStageConfig; 4]>,
}

/// The published sizes of HGNetV2.
#[no_retain]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum HgNetV2Name {
    /// Large.
    #[default]
    L,
    /// Extra large.
    X,
    /// Huge.
    H,
}

/// One stage of HGNetV2.
#[no_retain]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HgStageConfig {
    /// Channels of the layers in a block.
    pub mid_channels: i64,
    /// Channels of the answer, an even number.
    pub out_channels: i64,
    /// Blocks of the stage.
    pub blocks: usize,
    /// Whether the stage halves the map; all but the first do.
    pub downsample: bool,
    /// Whether the layers are a 1x1 and a depthwise convolution instead of a full one.
    pub light: bool,
    /// Kernel side of the layers, an odd number.
    pub kernel: i64,
    /// Layers of a block.
    pub layers: usize,
}

impl BackboneConfig {
    /// Channels of the three maps handed to the encoder, strides 8, 16 and 32.
    pub fn out_channels(&self) -> [i64; BACKBONE_LEVELS] {
        match self {
            Self::PResNet(config) => config.out_channels(),
            Self::HgNetV2(config) => config.out_channels(),
        }
    }

    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        match self {
            Self::PResNet(config) => config.validate(),
            Self::HgNetV2(config) => config.validate(),
        }
    }
}

impl From<PResNetConfig> for BackboneConfig {
    fn from(config: PResNetConfig) -> Self {
        Self::PResNet(config)
    }
}

impl From<HgNetV2Config> for BackboneConfig {
    fn from(config: HgNetV2Config) -> Self {
        Self::HgNetV2(config)
    }
}

impl Default for PResNetConfig {
    fn default() -> Self {
        Self {
            depth: 18,
            stem: 64,
            widths: [64, 128, 256, 512],
            blocks: None,
            freeze_at: -1,
            freeze_norm: false,
        }
    }
}

impl Default for HgNetV2Config {
    fn default() -> Self {
        Self {
            name: HgNetV2Name::L,
            use_lab: false,
            freeze_at: 0,
            freeze_norm: true,
            stem: None,
            stages: None,
        }
    }
}

impl PResNetConfig {
    /// Blocks of the four stages.
    ///
    /// # Errors
    /// An unknown `depth`.
    pub fn stage_blocks(&self) -> Result<[usize; 4], ConfigError> {
        let blocks = match self.depth {
            18 => [2, 2, 2, 2],
            34 | 50 => [3, 4, 6, 3],
            101 => [3, 4, 23, 3],
            found => return Err(ConfigError::UnknownDepth { found }),
        };
        Ok(self.blocks.unwrap_or(blocks))
    }

    /// Output channels of a block relative to its stage's width.
    pub fn block_expansion(&self) -> i64 {
        if self.depth >= 50 { 4 } else { 1 }
    }

    /// Channels of the three maps handed to the encoder, strides 8, 16 and 32.
    pub fn out_channels(&self) -> [i64; BACKBONE_LEVELS] {
        let [_, s3, s4, s5] = self.widths.map(|width| width * self.block_expansion());
        [s3, s4, s5]
    }

    fn validate(&self) -> Result<(), ConfigError> {
        for blocks in self.stage_blocks()? {
            at_least("backbone.presnet.blocks", blocks as i64, 1)?;
        }
        at_least("backbone.presnet.stem", self.stem, 2)?;
        multiple("backbone.presnet.stem", self.stem, 2, "the stem starts with half the channels")?;
        self.widths.iter().try_for_each(|&width| at_least("backbone.presnet.widths", width, 1))
    }
}

impl HgNetV2Config {
    /// Channels inside and after the stem, and the four stages.
    pub fn arch(&self) -> ([i64; 2], [HgStageConfig; 4]) {
        let (stem, stages) = self.name.arch();
        (self.stem.unwrap_or(stem), self.stages.unwrap_or(stages))
    }

    /// Channels of the three maps handed to the encoder, strides 8, 16 and 32.
    pub fn out_channels(&self) -> [i64; BACKBONE_LEVELS] {
        let [_, s3, s4, s5] = self.arch().1.map(|stage| stage.out_channels);
        [s3, s4, s5]
    }

    fn validate(&self) -> Result<(), ConfigError> {
        let ([mid, out], stages) = self.arch();
        at_least("backbone.hgnetv2.stem", mid.min(out), 2)?;
        multiple("backbone.hgnetv2.stem", mid, 2, "a layer of the stem has half the channels")?;
        for (i, stage) in stages.iter().enumerate() {
            stage.validate()?;
            // The encoder takes the maps of strides 8, 16 and 32 for granted.
            if stage.downsample != (i > 0) {
                return Err(ConfigError::Downsample { stage: i, found: stage.downsample });
            }
        }
        Ok(())
    }
}

impl HgStageConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        at_least("backbone.hgnetv2.stages.mid_channels", self.mid_channels, 1)?;
        at_least("backbone.hgnetv2.stages.out_channels", self.out_channels, 2)?;
        let reason = "the squeeze layer has half the channels";
        multiple("backbone.hgnetv2.stages.out_channels", self.out_channels, 2, reason)?;
        at_least("backbone.hgnetv2.stages.blocks", self.blocks as i64, 1)?;
        at_least("backbone.hgnetv2.stages.layers", self.layers as i64, 1)?;
        at_least("backbone.hgnetv2.stages.kernel", self.kernel, 1)?;
        let reason = "an odd kernel keeps the map's size";
        multiple("backbone.hgnetv2.stages.kernel + 1", self.kernel + 1, 2, reason)
    }
}

impl HgNetV2Name {
    /// Channels of the stem and the stages, as published.
    fn arch(self) -> ([i64; 2], [HgStageConfig; 4]) {
        let (stem, mid, first_out, blocks) = match self {
            Self::L => ([32, 48], [48, 96, 192, 384], 128, [1, 1, 3, 1]),
            Self::X => ([32, 64], [64, 128, 256, 512], 128, [1, 2, 5, 2]),
            Self::H => ([48, 96], [96, 192, 384, 768], 192, [2, 3, 6, 3]),
        };
        let out = [first_out, 512, 1024, 2048];
        let stage = |i: usize| HgStageConfig {
            mid_channels: mid[i],
            out_channels: out[i],
            blocks: blocks[i],
            downsample: i > 0,
            light: i >= 2,
            kernel: if i >= 2 { 5 } else { 3 },
            layers: 6,
        };
        (stem, [0, 1, 2, 3].map(stage))
    }
}
