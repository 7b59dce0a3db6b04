//! From an official configuration to the run. A key that is absent has the default of the official class, which is not always
//! that of the official files.

use super::{
    Converted,
    criterion::criterion,
    data::{OfficialData, official_data},
    keys::{only, required},
    model::model,
    schema::{self, Document},
};
use crate::{
    config::{DataConfig, DataSource, TrainConfig},
    data::transforms::MultiScale,
    train::{AdamWConfig, Amp, EmaConfig, ParamGroup, schedule::Decay},
};

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
