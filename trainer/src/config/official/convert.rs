//! From an official configuration to ours. A key that is absent has the default of the official class, which is not always
//! that of the official files.

use super::{
    OfficialConfigError,
    data::{OfficialData, official_data, required, unsupported},
    schema::{self, Document, PointCounts},
};
use crate::{
    config::{DataConfig, DataSource, TrainConfig},
    data::transforms::MultiScale,
    loss::{ClassLoss, CriterionConfig, LossWeights, MatcherConfig},
    model::{
        Activation, BackboneConfig, DecoderConfig, HgNetV2Config, HybridEncoderConfig, PResNetConfig,
        RtDetrConfig,
    },
    train::{AdamWConfig, Amp, EmaConfig, ParamGroup, schedule::Decay},
};

type Converted<T> = Result<T, OfficialConfigError>;

pub(super) fn train_config(document: &Document, source: DataSource) -> Converted<TrainConfig> {
    check_classes(document)?;
    let data = official_data(document)?;
    let post_processor = document.post_processor.as_ref();
    Ok(TrainConfig {
        seed: document.seed.unwrap_or(0),
        epochs: *required(&document.epoches, "epoches")?,
        batch_size: data.batch_size,
        warmup_steps: warmup(document)?,
        decay: decay(document)?,
        clip_max_norm: document.clip_max_norm.unwrap_or(0.0),
        amp: Amp::Off,
        num_top_queries: post_processor.and_then(|post| post.num_top_queries).unwrap_or(300),
        data: data_config(&data, source),
        optimizer: optimizer(required(&document.optimizer, "optimizer")?)?,
        ema: ema(document)?,
        model: model(document)?,
        criterion: criterion(document)?,
    })
}

fn data_config(official: &OfficialData, source: DataSource) -> DataConfig {
    let sides = official.scales.clone();
    let until = official.scales_stop_epoch;
    DataConfig {
        strong_until: official.augmentation_stop_epoch,
        multi_scale: (!sides.is_empty()).then_some(MultiScale { sides, until }),
        ..DataConfig::plain(source, official.side, official.augmentation)
    }
}

/// The classes that the configuration names are those of RT-DETR v2.
fn check_classes(document: &Document) -> Converted<()> {
    let network = required(&document.rtdetr, "RTDETR")?;
    only("task", document.task.as_deref(), "detection", "`detection`")?;
    only("model", document.model.as_deref(), "RTDETR", "`RTDETR`")?;
    only("criterion", document.criterion.as_deref(), "RTDETRCriterionv2", "`RTDETRCriterionv2`")?;
    only("postprocessor", document.postprocessor.as_deref(), "RTDETRPostProcessor", "`RTDETRPostProcessor`")?;
    only("RTDETR.encoder", network.encoder.as_deref(), "HybridEncoder", "`HybridEncoder`")?;
    only("RTDETR.decoder", network.decoder.as_deref(), "RTDETRTransformerv2", "`RTDETRTransformerv2`")
}

/// `found`, if it is there, must be `wanted`.
fn only<T: PartialEq + ToString>(
    key: &'static str,
    found: Option<T>,
    wanted: T,
    supported: &'static str,
) -> Converted<()> {
    match found {
        Some(found) if found != wanted => unsupported(key, found.to_string(), supported),
        _ => Ok(()),
    }
}

fn model(document: &Document) -> Converted<RtDetrConfig> {
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

fn list<T: std::fmt::Debug>(values: &[T]) -> String {
    format!("{values:?}")
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
        deploy: false,
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

fn optimizer(block: &schema::Optimizer) -> Converted<AdamWConfig> {
    only("optimizer.type", block.class.as_deref(), "AdamW", "`AdamW`")?;
    let group = |group: &schema::Group| {
        let pattern = required(&group.params, "optimizer.params.params")?.clone();
        Ok(ParamGroup { pattern, lr: group.lr, weight_decay: group.weight_decay })
    };
    Ok(AdamWConfig {
        lr: block.lr.unwrap_or(1e-3),
        betas: block.betas.unwrap_or((0.9, 0.999)),
        eps: block.eps.unwrap_or(1e-8),
        weight_decay: block.weight_decay.unwrap_or(1e-2),
        groups: block.params.iter().flatten().map(group).collect::<Converted<_>>()?,
    })
}

fn decay(document: &Document) -> Converted<Decay> {
    let Some(block) = &document.lr_scheduler else { return Ok(Decay::Constant) };
    only("lr_scheduler.type", block.class.as_deref(), "MultiStepLR", "`MultiStepLR`")?;
    let milestones = required(&block.milestones, "lr_scheduler.milestones")?.clone();
    Ok(Decay::MultiStep { milestones, gamma: block.gamma.unwrap_or(0.1) })
}

fn warmup(document: &Document) -> Converted<u64> {
    let Some(block) = &document.lr_warmup_scheduler else { return Ok(0) };
    only("lr_warmup_scheduler.type", block.class.as_deref(), "LinearWarmup", "`LinearWarmup`")?;
    required(&block.warmup_duration, "lr_warmup_scheduler.warmup_duration").copied()
}

/// Without an average, it equals the weights.
fn ema(document: &Document) -> Converted<EmaConfig> {
    let block = document.ema.as_ref();
    only("ema.type", block.and_then(|block| block.class.as_deref()), "ModelEMA", "`ModelEMA`")?;
    let decay = block.and_then(|block| block.decay).unwrap_or(0.9999);
    let used = document.use_ema.unwrap_or(false);
    Ok(EmaConfig {
        decay: if used { decay } else { 0.0 },
        warmups: block.and_then(|block| block.warmups).unwrap_or(2000.0),
    })
}

fn criterion(document: &Document) -> Converted<CriterionConfig> {
    let block = required(&document.criterion_v2, "RTDETRCriterionv2")?;
    let weights = required(&block.weight_dict, "RTDETRCriterionv2.weight_dict")?;
    let class_loss = class_loss(required(&block.losses, "RTDETRCriterionv2.losses")?)?;
    Ok(CriterionConfig {
        matcher: matcher(document, required(&block.matcher, "RTDETRCriterionv2.matcher")?)?,
        weights: loss_weights(weights, class_loss),
        class_loss,
        alpha: block.alpha.unwrap_or(0.2),
        gamma: block.gamma.unwrap_or(2.0),
        boxes_weight_format: block.boxes_weight_format.unwrap_or_default(),
        share_matched_indices: block.share_matched_indices.unwrap_or(false),
    })
}

/// A term without a weight is not part of the sum; that of the class loss which is not used does not matter.
fn loss_weights(weights: &schema::LossWeights, class_loss: ClassLoss) -> LossWeights {
    let unused = LossWeights::default();
    let absent = |used, default| if class_loss == used { 0.0 } else { default };
    LossWeights {
        loss_vfl: weights.loss_vfl.unwrap_or(absent(ClassLoss::Vfl, unused.loss_vfl)),
        loss_focal: weights.loss_focal.unwrap_or(absent(ClassLoss::Focal, unused.loss_focal)),
        loss_bbox: weights.loss_bbox.unwrap_or(0.0),
        loss_giou: weights.loss_giou.unwrap_or(0.0),
    }
}

fn class_loss(losses: &[String]) -> Converted<ClassLoss> {
    let mut names: Vec<&str> = losses.iter().map(String::as_str).collect();
    names.sort_unstable();
    match names[..] {
        ["boxes", "vfl"] => Ok(ClassLoss::Vfl),
        ["boxes", "focal"] => Ok(ClassLoss::Focal),
        _ => unsupported("RTDETRCriterionv2.losses", list(losses), "`boxes` with `vfl` or `focal`"),
    }
}

fn matcher(document: &Document, block: &schema::Matcher) -> Converted<MatcherConfig> {
    only("RTDETRCriterionv2.matcher.type", block.class.as_deref(), "HungarianMatcher", "`HungarianMatcher`")?;
    let weights = required(&block.weight_dict, "RTDETRCriterionv2.matcher.weight_dict")?;
    Ok(MatcherConfig {
        cost_class: *required(&weights.cost_class, "RTDETRCriterionv2.matcher.weight_dict.cost_class")?,
        cost_bbox: *required(&weights.cost_bbox, "RTDETRCriterionv2.matcher.weight_dict.cost_bbox")?,
        cost_giou: *required(&weights.cost_giou, "RTDETRCriterionv2.matcher.weight_dict.cost_giou")?,
        alpha: block.alpha.unwrap_or(0.25),
        gamma: block.gamma.unwrap_or(2.0),
        use_focal_loss: document.use_focal_loss.unwrap_or(false),
    })
}
