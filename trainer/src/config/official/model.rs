//! From the blocks of an official configuration to the network.

use super::{
    Converted,
    keys::{list, only, required, unsupported},
    schema::{self, Document, PointCounts},
};
use crate::model::{
    Activation, BackboneConfig, DecoderConfig, HgNetV2Config, HybridEncoderConfig, PResNetConfig,
    RtDetrConfig,
};

pub(super) fn model(document: &Document) -> Converted<RtDetrConfig> {
    let encoder = document.hybrid_encoder.as_ref().map_or_else(|| encoder(&Default::default()), encoder)?;
    let transformer = required(&document.transformer, "RTDETRTransformerv2")?;
    let backbone = backbone(document)?;
    if let Some(found) = document.hybrid_encoder.as_ref().and_then(|encoder| encoder.in_channels.as_ref()) {
        let made = backbone.out_channels();
        if found[..] != made {
            return unsupported(
                "HybridEncoder.in_channels",
                list(found),
                "the channels that the backbone makes",
            );
        }
    }
    if let Some(found) = transformer.feat_channels.as_ref().filter(|found| **found != [encoder.hidden_dim; 3])
    {
        return unsupported(
            "RTDETRTransformerv2.feat_channels",
            list(found),
            "the encoder's `hidden_dim` three times",
        );
    }
    Ok(RtDetrConfig {
        num_classes: document.num_classes.unwrap_or(80),
        eval_spatial_size: document.eval_spatial_size,
        backbone,
        encoder,
        decoder: decoder(transformer)?,
    })
}

fn backbone(document: &Document) -> Converted<BackboneConfig> {
    let network = required(&document.rtdetr, "RTDETR")?;
    match required(&network.backbone, "RTDETR.backbone")?.as_str() {
        "PResNet" => presnet(required(&document.presnet, "PResNet")?),
        "HGNetv2" => hgnetv2(required(&document.hgnetv2, "HGNetv2")?),
        found => unsupported("RTDETR.backbone", found, "`PResNet` and `HGNetv2`"),
    }
}

fn presnet(block: &schema::PResNet) -> Converted<BackboneConfig> {
    only("PResNet.variant", block.variant.as_deref(), "d", "variant `d`")?;
    only("PResNet.num_stages", block.num_stages, 4, "4 stages")?;
    if block.act.is_some_and(|act| act != Activation::Relu) {
        return unsupported("PResNet.act", "another function", "`relu`");
    }
    let levels = block.return_idx.as_deref().unwrap_or(&[0, 1, 2, 3]);
    check_levels("PResNet.return_idx", levels)?;
    let config = PResNetConfig {
        depth: *required(&block.depth, "PResNet.depth")?,
        freeze_at: block.freeze_at.unwrap_or(-1),
        freeze_norm: block.freeze_norm.unwrap_or(true),
        ..PResNetConfig::default()
    };
    Ok(config.into())
}

fn hgnetv2(block: &schema::HgNetV2) -> Converted<BackboneConfig> {
    check_levels("HGNetv2.return_idx", block.return_idx.as_deref().unwrap_or(&[1, 2, 3]))?;
    let config = HgNetV2Config {
        name: *required(&block.name, "HGNetv2.name")?,
        use_lab: block.use_lab.unwrap_or(false),
        freeze_at: block.freeze_at.unwrap_or(-1),
        freeze_norm: block.freeze_norm.unwrap_or(false),
        ..HgNetV2Config::default()
    };
    Ok(config.into())
}

fn check_levels(key: &'static str, found: &[usize]) -> Converted<()> {
    if found == [1, 2, 3] { Ok(()) } else { unsupported(key, list(found), "[1, 2, 3]") }
}

fn check_strides(key: &'static str, found: &Option<Vec<i64>>) -> Converted<()> {
    match found {
        Some(found) if found[..] != [8, 16, 32] => unsupported(key, list(found), "[8, 16, 32]"),
        _ => Ok(()),
    }
}

fn encoder(block: &schema::HybridEncoder) -> Converted<HybridEncoderConfig> {
    check_strides("HybridEncoder.feat_strides", &block.feat_strides)?;
    only("HybridEncoder.version", block.version.as_deref(), "v2", "`v2`")?;
    Ok(HybridEncoderConfig {
        deploy: false,
        hidden_dim: block.hidden_dim.unwrap_or(256),
        nhead: block.nhead.unwrap_or(8),
        dim_feedforward: block.dim_feedforward.unwrap_or(1024),
        dropout: block.dropout.unwrap_or(0.0),
        enc_act: block.enc_act.unwrap_or(Activation::Gelu),
        normalize_before: false,
        act: block.act.unwrap_or(Activation::Silu),
        use_encoder_idx: block.use_encoder_idx.clone().unwrap_or_else(|| vec![2]),
        num_encoder_layers: block.num_encoder_layers.unwrap_or(1),
        expansion: block.expansion.unwrap_or(1.0),
        depth_mult: block.depth_mult.unwrap_or(1.0),
        pe_temperature: block.pe_temperature.unwrap_or(10_000.0),
    })
}

fn decoder(block: &schema::Transformer) -> Converted<DecoderConfig> {
    check_strides("RTDETRTransformerv2.feat_strides", &block.feat_strides)?;
    let fixed = DecoderConfig::default();
    let num_levels = block.num_levels.unwrap_or(3);
    let num_points = match &block.num_points {
        None => vec![4; num_levels],
        Some(PointCounts::Same(points)) => vec![*points; num_levels],
        Some(PointCounts::PerLevel(points)) => points.clone(),
    };
    Ok(DecoderConfig {
        hidden_dim: block.hidden_dim.unwrap_or(256),
        num_queries: block.num_queries.unwrap_or(300),
        num_levels,
        num_points,
        nhead: block.nhead.unwrap_or(8),
        num_layers: block.num_layers.unwrap_or(6),
        dim_feedforward: block.dim_feedforward.unwrap_or(1024),
        dropout: block.dropout.unwrap_or(0.0),
        activation: block.activation.unwrap_or(Activation::Relu),
        num_denoising: block.num_denoising.unwrap_or(100),
        label_noise_ratio: block.label_noise_ratio.unwrap_or(0.5),
        box_noise_scale: block.box_noise_scale.unwrap_or(1.0),
        learn_query_content: block.learn_query_content.unwrap_or(false),
        aux_loss: block.aux_loss.unwrap_or(true),
        eval_idx: block.eval_idx.unwrap_or(-1),
        eps: block.eps.unwrap_or(1e-2),
        cross_attn_method: block.cross_attn_method.unwrap_or(fixed.cross_attn_method),
        query_select_method: block.query_select_method.unwrap_or(fixed.query_select_method),
    })
}
