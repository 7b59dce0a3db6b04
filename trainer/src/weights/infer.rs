//! The network that weights belong to, read off the names and shapes of its tensors.

use super::{StateDict, WeightsError, error::some_of};
use crate::config::{PRESETS, Preset};
use crate::model::{
    BackboneConfig, DecoderConfig, HgNetV2Config, HgNetV2Name, HgStageConfig, HybridEncoderConfig,
    PResNetConfig, QuerySelectMethod, RtDetrConfig,
};

/// The network whose tensors have these names and shapes.
///
/// Shapes do not tell everything: the number of queries is taken as 300, sampling as bilinear, the last layer as the one
/// that answers, the encoder's heads as many as the decoder's, the image as square. [`nearest_preset`] knows better where
/// the network is a published one.
///
/// # Errors
/// When a tensor is missing that every RT-DETR v2 has.
pub fn infer_network(state: &StateDict) -> Result<RtDetrConfig, WeightsError> {
    let shapes = Shapes { state };
    let decoder = decoder(&shapes)?;
    let config = RtDetrConfig {
        num_classes: shapes.dim("decoder.dec_score_head.0.weight", 0)?,
        eval_spatial_size: eval_size(&shapes, &decoder),
        backbone: backbone(&shapes)?,
        encoder: encoder(&shapes, decoder.nhead)?,
        decoder,
    };
    config.validate()?;
    Ok(config)
}

/// The published recipe with this network, whatever its classes, image size and frozen norms.
pub fn nearest_preset(network: &RtDetrConfig) -> Option<&'static Preset> {
    let plain = |config: &RtDetrConfig| {
        let mut config = config.clone();
        (config.num_classes, config.eval_spatial_size) = (1, None);
        (config.decoder.eval_idx, config.encoder.deploy) = (-1, false);
        match &mut config.backbone {
            BackboneConfig::PResNet(c) => (c.freeze_at, c.freeze_norm) = (-1, false),
            BackboneConfig::HgNetV2(c) => (c.freeze_at, c.freeze_norm) = (-1, false),
        }
        config
    };
    let wanted = plain(network);
    PRESETS.iter().find(|preset| plain(&preset.model()) == wanted)
}

/// Reads shapes; what is missing is an error that says so.
#[derive(Clone, Copy)]
struct Shapes<'a> {
    state: &'a StateDict,
}

impl Shapes<'_> {
    /// Length of a dimension of a tensor.
    fn dim(self, name: &str, dim: usize) -> Result<i64, WeightsError> {
        let missing = |problem| {
            let names: Vec<&str> = self.state.names().collect();
            let found = some_of(names.into_iter());
            WeightsError::Architecture { path: self.state.path().to_owned(), problem, found }
        };
        let (size, _) = self.state.shape(name).ok_or_else(|| missing(format!("no tensor `{name}`")))?;
        let length = size.get(dim).copied();
        length.ok_or_else(|| missing(format!("tensor `{name}` has shape {size:?}, too few dimensions")))
    }

    /// How many numbers from 0 on, put in the place of `#`, begin the name of a tensor.
    fn count(self, pattern: &str) -> usize {
        (0..).take_while(|i: &usize| self.state.has_prefix(&pattern.replace('#', &i.to_string()))).count()
    }

    fn four<T: Copy>(
        self,
        value: impl Fn(Self, usize) -> Result<T, WeightsError>,
    ) -> Result<[T; 4], WeightsError> {
        Ok([value(self, 0)?, value(self, 1)?, value(self, 2)?, value(self, 3)?])
    }
}

fn backbone(shapes: &Shapes) -> Result<BackboneConfig, WeightsError> {
    match shapes.state.has_prefix("backbone.stem.") {
        true => hgnetv2(*shapes).map(Into::into),
        false => presnet(*shapes).map(Into::into),
    }
}

fn presnet(shapes: Shapes) -> Result<PResNetConfig, WeightsError> {
    let stage = |i: usize| format!("backbone.res_layers.{i}.blocks.");
    let bottleneck = shapes.state.contains("backbone.res_layers.0.blocks.0.branch2c.conv.weight");
    let blocks = [0, 1, 2, 3].map(|i| shapes.count(&format!("{}#.", stage(i))));
    let (depth, known) = match (blocks, bottleneck) {
        ([2, 2, 2, 2], false) => (18, true),
        ([3, 4, 6, 3], false) => (34, true),
        ([3, 4, 6, 3], true) => (50, true),
        ([3, 4, 23, 3], true) => (101, true),
        (_, bottleneck) => (if bottleneck { 50 } else { 18 }, false),
    };
    let frozen = !shapes.state.contains("backbone.conv1.conv1_1.norm.num_batches_tracked");
    Ok(PResNetConfig {
        depth,
        stem: shapes.dim("backbone.conv1.conv1_3.conv.weight", 0)?,
        widths: shapes.four(|shapes, i| shapes.dim(&format!("{}0.branch2a.conv.weight", stage(i)), 0))?,
        blocks: (!known).then_some(blocks),
        freeze_at: if frozen { 0 } else { -1 },
        freeze_norm: frozen,
    })
}

fn hgnetv2(shapes: Shapes) -> Result<HgNetV2Config, WeightsError> {
    let frozen = !shapes.state.contains("backbone.stem.stem1.bn.num_batches_tracked");
    let stem = [
        shapes.dim("backbone.stem.stem1.conv.weight", 0)?,
        shapes.dim("backbone.stem.stem4.conv.weight", 0)?,
    ];
    let stages = shapes.four(hg_stage)?;
    let config = |name| HgNetV2Config {
        name,
        use_lab: shapes.state.contains("backbone.stem.stem1.lab.scale"),
        freeze_at: if frozen { 0 } else { -1 },
        freeze_norm: frozen,
        stem: None,
        stages: None,
    };
    let published = [HgNetV2Name::L, HgNetV2Name::X, HgNetV2Name::H].map(config);
    let known = published.into_iter().find(|config| config.arch() == (stem, stages));
    Ok(known.unwrap_or(HgNetV2Config { stem: Some(stem), stages: Some(stages), ..config(HgNetV2Name::L) }))
}

fn hg_stage(shapes: Shapes, i: usize) -> Result<HgStageConfig, WeightsError> {
    let block = format!("backbone.stages.{i}.blocks.0");
    let light = shapes.state.has_prefix(&format!("{block}.layers.0.conv1."));
    let layer = format!("{block}.layers.0.{}conv.weight", if light { "conv2." } else { "" });
    Ok(HgStageConfig {
        mid_channels: shapes.dim(&layer, 0)?,
        out_channels: shapes.dim(&format!("{block}.aggregation_excitation_conv.conv.weight"), 0)?,
        blocks: shapes.count(&format!("backbone.stages.{i}.blocks.#.")),
        downsample: shapes.state.has_prefix(&format!("backbone.stages.{i}.downsample.")),
        light,
        kernel: shapes.dim(&layer, 3)?,
        layers: shapes.count(&format!("{block}.layers.#.")),
    })
}

fn encoder(shapes: &Shapes, nhead: i64) -> Result<HybridEncoderConfig, WeightsError> {
    let hidden_dim = shapes.dim("encoder.input_proj.0.conv.weight", 0)?;
    let fused = shapes.dim("encoder.fpn_blocks.0.conv1.conv.weight", 0)?;
    let levels = shapes.count("encoder.encoder.#.");
    let default = HybridEncoderConfig::default();
    let dim_feedforward = match levels {
        0 => default.dim_feedforward,
        _ => shapes.dim("encoder.encoder.0.layers.0.linear1.weight", 0)?,
    };
    let blocks = shapes.count("encoder.fpn_blocks.0.bottlenecks.#.");
    Ok(HybridEncoderConfig {
        hidden_dim,
        nhead,
        dim_feedforward,
        // The coarsest levels, if there are several.
        use_encoder_idx: (3 - levels.min(3)..3).collect(),
        num_encoder_layers: shapes.count("encoder.encoder.0.layers.#."),
        expansion: fused as f64 / hidden_dim as f64,
        depth_mult: blocks as f64 / 3.,
        deploy: shapes.state.contains("encoder.fpn_blocks.0.bottlenecks.0.conv.weight"),
        ..default
    })
}

fn decoder(shapes: &Shapes) -> Result<DecoderConfig, WeightsError> {
    let layer = "decoder.decoder.layers.0";
    let hidden_dim = shapes.dim("decoder.enc_output.proj.weight", 0)?;
    let points = shapes.dim(&format!("{layer}.cross_attn.sampling_offsets.weight"), 0)? / 2;
    let num_levels = shapes.count("decoder.input_proj.#.");
    let num_points = num_points(shapes, layer, num_levels)?;
    let default = DecoderConfig::default();
    let tgt_embed = shapes.dim("decoder.tgt_embed.weight", 0).ok();
    let scores = shapes.dim("decoder.enc_score_head.weight", 0)?;
    let agnostic = scores == 1 && shapes.dim("decoder.dec_score_head.0.weight", 0)? > 1;
    Ok(DecoderConfig {
        hidden_dim,
        num_queries: tgt_embed.unwrap_or(default.num_queries),
        num_levels,
        nhead: points / num_points.iter().sum::<i64>().max(1),
        num_points,
        num_layers: shapes.count("decoder.decoder.layers.#."),
        dim_feedforward: shapes.dim(&format!("{layer}.linear1.weight"), 0)?,
        num_denoising: match shapes.state.contains("decoder.denoising_class_embed.weight") {
            true => default.num_denoising,
            false => 0,
        },
        learn_query_content: tgt_embed.is_some(),
        query_select_method: match agnostic {
            true => QuerySelectMethod::Agnostic,
            false => default.query_select_method,
        },
        ..default
    })
}

/// Sampling points of each level; four where the file does not list their scales.
fn num_points(shapes: &Shapes, layer: &str, num_levels: usize) -> Result<Vec<i64>, WeightsError> {
    Ok(match shapes.state.get(&format!("{layer}.cross_attn.num_points_scale")) {
        Some(scale) => points_per_level(&Vec::<f64>::try_from(scale.to_kind(tch::Kind::Double))?),
        None => vec![4; num_levels],
    })
}

/// A level of n points lists `1/n` n times.
fn points_per_level(scale: &[f64]) -> Vec<i64> {
    let mut levels = Vec::new();
    let mut rest = scale;
    while let Some(&first) = rest.first() {
        let points = (1. / first).round().max(1.) as i64;
        levels.push(points);
        rest = &rest[rest.len().min(points as usize)..];
    }
    levels
}

/// The square image that has as many cells as there are anchors.
fn eval_size(shapes: &Shapes, decoder: &DecoderConfig) -> Option<[i64; 2]> {
    const LARGEST: i64 = 4096;
    let cells = shapes.dim("decoder.anchors", 1).ok()?;
    let mut sides = (32..=LARGEST).step_by(32);
    sides.find(|&side| decoder.cells(side, side) == cells).map(|side| [side; 2])
}
