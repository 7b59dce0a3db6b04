//! Every key of the official configurations.
//!
//! All of them are optional, since a file states only what differs from those it includes. Names are the official ones: the keys of
//! a block are the arguments of the class that it configures.

use guard_core::no_retain;
use serde::Deserialize;
use serde_json::Value;

use crate::loss::BoxesWeight;
use crate::model::{Activation, CrossAttnMethod, HgNetV2Name, QuerySelectMethod};

/// Declares a block whose keys are all optional and whose other keys are refused.
macro_rules! block {
    ($(#[$doc:meta])* $name:ident { $($(#[$attr:meta])* $key:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Default, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        #[allow(dead_code, reason = "some keys are read and not acted upon")]
        #[no_retain]
        pub(super) struct $name {
            $($(#[$attr])* pub $key: Option<$type>,)*
        }
    };
}

block! {
    /// A whole file.
    Document {
        #[serde(rename = "__include__")]
        include: Vec<String>,
        task: String,
        model: String,
        criterion: String,
        postprocessor: String,
        num_classes: i64,
        remap_mscoco_category: bool,
        use_focal_loss: bool,
        eval_spatial_size: [i64; 2],
        evaluator: Evaluator,
        train_dataloader: DataLoader,
        val_dataloader: DataLoader,
        print_freq: u64,
        checkpoint_freq: u64,
        output_dir: String,
        summary_dir: String,
        device: String,
        seed: u64,
        resume: String,
        tuning: String,
        sync_bn: bool,
        find_unused_parameters: bool,
        use_amp: bool,
        scaler: Scaler,
        use_ema: bool,
        ema: Ema,
        epoches: u64,
        clip_max_norm: f64,
        optimizer: Optimizer,
        lr_scheduler: LrScheduler,
        lr_warmup_scheduler: Warmup,
        #[serde(rename = "RTDETR")]
        rtdetr: Network,
        #[serde(rename = "PResNet")]
        presnet: PResNet,
        #[serde(rename = "HGNetv2")]
        hgnetv2: HgNetV2,
        #[serde(rename = "HybridEncoder")]
        hybrid_encoder: HybridEncoder,
        #[serde(rename = "RTDETRTransformerv2")]
        transformer: Transformer,
        #[serde(rename = "RTDETRPostProcessor")]
        post_processor: PostProcessor,
        #[serde(rename = "RTDETRCriterionv2")]
        criterion_v2: Criterion,
    }
}

block! {
    /// Which parts the network has.
    Network { backbone: String, encoder: String, decoder: String, }
}

block! {
    PResNet {
        depth: u32,
        variant: String,
        num_stages: u32,
        return_idx: Vec<usize>,
        act: Activation,
        freeze_at: i64,
        freeze_norm: bool,
        pretrained: Value,
    }
}

block! {
    HgNetV2 {
        name: HgNetV2Name,
        use_lab: bool,
        return_idx: Vec<usize>,
        freeze_at: i64,
        freeze_norm: bool,
        pretrained: Value,
    }
}

block! {
    HybridEncoder {
        in_channels: Vec<i64>,
        feat_strides: Vec<i64>,
        hidden_dim: i64,
        nhead: i64,
        dim_feedforward: i64,
        dropout: f64,
        enc_act: Activation,
        use_encoder_idx: Vec<usize>,
        num_encoder_layers: usize,
        pe_temperature: f64,
        expansion: f64,
        depth_mult: f64,
        act: Activation,
        version: String,
    }
}

block! {
    Transformer {
        hidden_dim: i64,
        num_queries: i64,
        feat_channels: Vec<i64>,
        feat_strides: Vec<i64>,
        num_levels: usize,
        num_points: PointCounts,
        nhead: i64,
        num_layers: usize,
        dim_feedforward: i64,
        dropout: f64,
        activation: Activation,
        num_denoising: usize,
        label_noise_ratio: f64,
        box_noise_scale: f64,
        learn_query_content: bool,
        eval_idx: i64,
        eps: f64,
        aux_loss: bool,
        cross_attn_method: CrossAttnMethod,
        query_select_method: QuerySelectMethod,
    }
}

/// Sampling points, the same for every level or level by level.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
#[no_retain]
pub(super) enum PointCounts {
    Same(i64),
    PerLevel(Vec<i64>),
}

block! {
    PostProcessor { num_top_queries: i64, }
}

block! {
    Criterion {
        matcher: Matcher,
        weight_dict: LossWeights,
        losses: Vec<String>,
        alpha: f64,
        gamma: f64,
        boxes_weight_format: BoxesWeight,
        share_matched_indices: bool,
    }
}

block! {
    LossWeights { loss_vfl: f64, loss_focal: f64, loss_bbox: f64, loss_giou: f64, }
}

block! {
    Matcher {
        #[serde(rename = "type")]
        class: String,
        weight_dict: MatcherWeights,
        alpha: f64,
        gamma: f64,
    }
}

block! {
    MatcherWeights { cost_class: f64, cost_bbox: f64, cost_giou: f64, }
}

block! {
    Evaluator {
        #[serde(rename = "type")]
        class: String,
        iou_types: Vec<String>,
    }
}

block! {
    Scaler {
        #[serde(rename = "type")]
        class: String,
        enabled: bool,
    }
}

block! {
    Ema {
        #[serde(rename = "type")]
        class: String,
        decay: f64,
        warmups: f64,
    }
}

block! {
    Optimizer {
        #[serde(rename = "type")]
        class: String,
        params: Vec<Group>,
        lr: f64,
        betas: (f64, f64),
        eps: f64,
        weight_decay: f64,
    }
}

block! {
    /// Parameters found by the pattern `params`.
    Group { params: String, lr: f64, weight_decay: f64, }
}

block! {
    LrScheduler {
        #[serde(rename = "type")]
        class: String,
        milestones: Vec<u64>,
        gamma: f64,
    }
}

block! {
    Warmup {
        #[serde(rename = "type")]
        class: String,
        warmup_duration: u64,
    }
}

block! {
    DataLoader {
        #[serde(rename = "type")]
        class: String,
        dataset: Dataset,
        shuffle: bool,
        num_workers: usize,
        drop_last: bool,
        collate_fn: Collate,
        total_batch_size: usize,
        batch_size: usize,
    }
}

block! {
    Dataset {
        #[serde(rename = "type")]
        class: String,
        img_folder: String,
        ann_file: String,
        return_masks: bool,
        root: String,
        label_file: String,
        transforms: Transforms,
    }
}

block! {
    Transforms {
        #[serde(rename = "type")]
        class: String,
        ops: Vec<serde_json::Map<String, Value>>,
        policy: Policy,
    }
}

block! {
    /// Operations that end with an epoch.
    Policy { name: String, epoch: u64, ops: Vec<String>, }
}

block! {
    Collate {
        #[serde(rename = "type")]
        class: String,
        scales: Vec<u32>,
        stop_epoch: u64,
    }
}
