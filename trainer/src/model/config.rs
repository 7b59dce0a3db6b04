//! What decides the shape of an RT-DETR v2 network.
//!
//! Field names follow the official YAML keys; every default is the value of the `r18vd` preset.

use guard_core::no_retain;
use serde::{Deserialize, Serialize};

use super::config_backbone::{BackboneConfig, HgNetV2Config, HgNetV2Name, PResNetConfig};
use super::layers::Activation;

/// A configuration that no network can be built from, or an image it cannot take.
#[no_retain]
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ConfigError {
    /// The backbone's depth is none of the known ones.
    #[error("`backbone.presnet.depth` is {found}, expected 18, 34, 50 or 101")]
    UnknownDepth {
        /// The value given.
        found: u32,
    },
    /// A width that must divide another does not.
    #[error("`{field}` is {found}, expected a multiple of {divisor} ({reason})")]
    NotAMultiple {
        /// The field's path in the configuration.
        field: &'static str,
        /// The value given.
        found: i64,
        /// What has to divide it.
        divisor: i64,
        /// Which part of the network asks for it.
        reason: &'static str,
    },
    /// A count that must be positive is not.
    #[error("`{field}` is {found}, expected at least {least}")]
    TooSmall {
        /// The field's path in the configuration.
        field: &'static str,
        /// The value given.
        found: i64,
        /// The least value that works.
        least: i64,
    },
    /// A fraction lies outside its range.
    #[error("`{field}` is {found}, expected {low} to {high}")]
    OutOfRange {
        /// The field's path in the configuration.
        field: &'static str,
        /// The value given.
        found: f64,
        /// The least value that works.
        low: f64,
        /// The greatest value that works.
        high: f64,
    },
    /// A stage of HGNetV2 makes a map of an unexpected size.
    #[error(
        "`backbone.hgnetv2.stages[{stage}].downsample` is {found}; all stages but the first halve the map, the first does not"
    )]
    Downsample {
        /// The stage, counted from 0.
        stage: usize,
        /// The value given.
        found: bool,
    },
    /// `decoder.num_points` does not list every level.
    #[error("`decoder.num_points` lists {found} levels, expected `decoder.num_levels` = {expected}")]
    PointsPerLevel {
        /// Entries of `num_points`.
        found: usize,
        /// `num_levels`.
        expected: usize,
    },
    /// An index points past the end of a list.
    #[error("`{field}` is {found}, expected an index below {len}")]
    IndexOutOfRange {
        /// The field's path in the configuration.
        field: &'static str,
        /// The value given.
        found: i64,
        /// Length of what is indexed.
        len: i64,
    },
    /// More queries than the feature maps have cells.
    #[error("`decoder.num_queries` is {queries}, but an image of {height}x{width} has only {cells} cells")]
    MoreQueriesThanCells {
        /// `decoder.num_queries`.
        queries: i64,
        /// Image height in pixels.
        height: i64,
        /// Image width in pixels.
        width: i64,
        /// Cells of all levels together.
        cells: i64,
    },
}

/// A whole RT-DETR v2 network.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RtDetrConfig {
    /// Classes C that the detector tells apart.
    pub num_classes: i64,
    /// Height and width of every evaluated image; stores the anchors in the state (`decoder.anchors`).
    pub eval_spatial_size: Option<[i64; 2]>,
    /// The convolutional backbone.
    pub backbone: BackboneConfig,
    /// The hybrid encoder.
    pub encoder: HybridEncoderConfig,
    /// The transformer decoder.
    pub decoder: DecoderConfig,
}

/// The hybrid encoder.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HybridEncoderConfig {
    /// Channels D of every level.
    pub hidden_dim: i64,
    /// Attention heads.
    pub nhead: i64,
    /// Hidden width of the feed-forward part.
    pub dim_feedforward: i64,
    /// Share of attention and hidden values dropped in training.
    pub dropout: f64,
    /// Activation of the feed-forward part.
    pub enc_act: Activation,
    /// Norm before self-attention and feed-forward part instead of after them.
    pub normalize_before: bool,
    /// Activation of the fusion blocks.
    pub act: Activation,
    /// Levels that get self-attention.
    pub use_encoder_idx: Vec<usize>,
    /// Attention layers per such level.
    pub num_encoder_layers: usize,
    /// Hidden width of the fusion blocks relative to D.
    pub expansion: f64,
    /// Scales the three RepVGG blocks of each fusion block.
    pub depth_mult: f64,
    /// Longest wavelength of the position table.
    pub pe_temperature: f64,
    /// RepVGG blocks folded into one convolution each: for evaluation, not for training.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deploy: bool,
}

/// How deformable attention reads the feature maps.
#[no_retain]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CrossAttnMethod {
    /// Bilinear interpolation.
    Default,
    /// The nearest cell, without gradient to the sampling offsets.
    Discrete,
}

/// How the queries are chosen among the encoder's cells.
#[no_retain]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QuerySelectMethod {
    /// By the best class of a cell.
    Default,
    /// By the best pairs of cell and class; a cell may be chosen several times.
    One2many,
    /// By a single objectness score.
    Agnostic,
}

/// The query selection and the transformer decoder.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DecoderConfig {
    /// Channels D.
    pub hidden_dim: i64,
    /// Matching queries Q.
    pub num_queries: i64,
    /// Feature levels; those beyond the encoder's three are strided convolutions of the last.
    pub num_levels: usize,
    /// Sampling points per level and head.
    pub num_points: Vec<i64>,
    /// Attention heads.
    pub nhead: i64,
    /// Decoder layers.
    pub num_layers: usize,
    /// Hidden width of the feed-forward part.
    pub dim_feedforward: i64,
    /// Share of attention and hidden values dropped in training.
    pub dropout: f64,
    /// Activation of the feed-forward part.
    pub activation: Activation,
    /// Denoising queries aimed at, per kind; 0 turns denoising off.
    pub num_denoising: usize,
    /// Twice the share of denoising labels that are redrawn, 0 to 1.
    pub label_noise_ratio: f64,
    /// Scale of the denoising box noise; must be positive.
    pub box_noise_scale: f64,
    /// Learn the queries' content instead of taking the encoder's.
    pub learn_query_content: bool,
    /// Supervise every layer and the query selection; off: the last layer alone.
    pub aux_loss: bool,
    /// The layer that answers in evaluation; negative counts from the end.
    pub eval_idx: i64,
    /// Anchors closer than this to the image border are invalid.
    pub eps: f64,
    /// Sampling method of the cross-attention.
    pub cross_attn_method: CrossAttnMethod,
    /// Choice of the queries.
    pub query_select_method: QuerySelectMethod,
}

impl RtDetrConfig {
    /// The S model: ResNet-18-vd, three decoder layers, 300 queries.
    pub fn r18vd(num_classes: i64) -> Self {
        Self { num_classes, ..Self::default() }
    }

    /// The M* model: ResNet-34-vd, four decoder layers.
    pub fn r34vd(num_classes: i64) -> Self {
        let mut config = Self::r18vd(num_classes);
        config.backbone = PResNetConfig { depth: 34, ..PResNetConfig::default() }.into();
        config.decoder.num_layers = 4;
        config
    }

    /// The M model: as [`r50vd`](Self::r50vd) with half-width fusion, evaluated after the third of six decoder layers.
    pub fn r50vd_m(num_classes: i64) -> Self {
        let mut config = Self::r50vd(num_classes);
        config.encoder.expansion = 0.5;
        config.decoder.eval_idx = 2;
        config
    }

    /// The L model: ResNet-50-vd with frozen stem and norms, full-width fusion, six decoder layers.
    pub fn r50vd(num_classes: i64) -> Self {
        Self::large(num_classes, frozen_presnet(50).into(), [256, 1024])
    }

    /// The X model: as [`r50vd`](Self::r50vd) with ResNet-101-vd and a wider encoder.
    pub fn r101vd(num_classes: i64) -> Self {
        Self::large(num_classes, frozen_presnet(101).into(), [384, 2048])
    }

    /// The models with an HGNetV2 whose stem and norms are frozen.
    pub fn hgnetv2(num_classes: i64, name: HgNetV2Name) -> Self {
        let (widths, layers) = match name {
            HgNetV2Name::L => ([256, 1024], 1),
            HgNetV2Name::X => ([384, 2048], 1),
            HgNetV2Name::H => ([512, 2048], 2),
        };
        let backbone = HgNetV2Config { name, ..HgNetV2Config::default() };
        let mut config = Self::large(num_classes, backbone.into(), widths);
        config.encoder.num_encoder_layers = layers;
        config
    }

    /// Full-width fusion and six decoder layers; `hidden_dim` and `dim_feedforward` are the encoder's.
    fn large(num_classes: i64, backbone: BackboneConfig, [hidden_dim, dim_feedforward]: [i64; 2]) -> Self {
        let encoder = HybridEncoderConfig {
            hidden_dim,
            dim_feedforward,
            expansion: 1.,
            ..HybridEncoderConfig::default()
        };
        let decoder = DecoderConfig { num_layers: 6, ..DecoderConfig::default() };
        Self { num_classes, backbone, encoder, decoder, ..Self::default() }
    }
}

fn frozen_presnet(depth: u32) -> PResNetConfig {
    PResNetConfig { depth, freeze_at: 0, freeze_norm: true, ..PResNetConfig::default() }
}

impl Default for RtDetrConfig {
    fn default() -> Self {
        Self {
            num_classes: 80,
            eval_spatial_size: None,
            backbone: PResNetConfig::default().into(),
            encoder: HybridEncoderConfig::default(),
            decoder: DecoderConfig::default(),
        }
    }
}

impl Default for HybridEncoderConfig {
    fn default() -> Self {
        Self {
            hidden_dim: 256,
            nhead: 8,
            dim_feedforward: 1024,
            dropout: 0.,
            enc_act: Activation::Gelu,
            normalize_before: false,
            act: Activation::Silu,
            use_encoder_idx: vec![2],
            num_encoder_layers: 1,
            expansion: 0.5,
            depth_mult: 1.,
            pe_temperature: 10_000.,
            deploy: false,
        }
    }
}

impl Default for DecoderConfig {
    fn default() -> Self {
        Self {
            hidden_dim: 256,
            num_queries: 300,
            num_levels: 3,
            num_points: vec![4; 3],
            nhead: 8,
            num_layers: 3,
            dim_feedforward: 1024,
            dropout: 0.,
            activation: Activation::Relu,
            num_denoising: 100,
            label_noise_ratio: 0.5,
            box_noise_scale: 1.,
            learn_query_content: false,
            aux_loss: true,
            eval_idx: -1,
            eps: 1e-2,
            cross_attn_method: CrossAttnMethod::Default,
            query_select_method: QuerySelectMethod::Default,
        }
    }
}
