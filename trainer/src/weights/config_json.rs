//! `config.json`, which Hugging Face keeps beside the weights.

use std::collections::BTreeMap;
use std::path::Path;

use guard_core::no_retain;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::WeightsError;
use crate::model::{
    Activation, BackboneConfig, CrossAttnMethod, DecoderConfig, PResNetConfig, QuerySelectMethod,
    RtDetrConfig,
};

const MODEL_TYPE: &str = "rt_detr_v2";

/// What the file says that shapes do not tell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[no_retain]
pub struct HuggingFaceConfig {
    /// Which model it is of.
    #[serde(default)]
    pub model_type: String,
    /// Names of the classes, by the number of their logit.
    #[serde(default)]
    pub id2label: BTreeMap<String, String>,
    /// Matching queries.
    pub num_queries: Option<i64>,
    /// Heads of the encoder.
    pub encoder_attention_heads: Option<i64>,
    /// Sampling of the decoder.
    pub decoder_method: Option<CrossAttnMethod>,
    /// Longest wavelength of the position table.
    pub positional_encoding_temperature: Option<f64>,
    /// Norms of the encoder's layers before attention and feed-forward part.
    pub normalize_before: Option<bool>,
    /// Activation of the encoder's layers.
    pub encoder_activation_function: Option<Activation>,
    /// Activation of the fusion blocks.
    pub activation_function: Option<Activation>,
    /// Activation of the decoder's layers.
    pub decoder_activation_function: Option<Activation>,
    /// Scale of the sampling offsets, 0.5 here.
    pub decoder_offset_scale: Option<f64>,
    /// Added to variances by the batch norms, 1e-5 here.
    pub batch_norm_eps: Option<f64>,
    /// Added to variances by the layer norms, 1e-5 here.
    pub layer_norm_eps: Option<f64>,
}

impl HuggingFaceConfig {
    /// Reads the file beside `weights`; `None` where there is none.
    ///
    /// # Errors
    /// When it cannot be read, or is of another model.
    pub fn beside(weights: &Path) -> Result<Option<Self>, WeightsError> {
        let path = weights.with_file_name("config.json");
        if !path.exists() {
            return Ok(None);
        }
        let text = std::fs::read_to_string(&path)
            .map_err(|cause| WeightsError::Read { path: path.clone(), cause })?;
        let refused = |problem| WeightsError::ConfigJson { path: path.clone(), problem };
        let config: Self = serde_json::from_str(&text).map_err(|e| refused(e.to_string()))?;
        match config.fault() {
            None => Ok(Some(config)),
            Some(fault) => Err(refused(fault)),
        }
    }

    /// What the network here cannot follow.
    fn fault(&self) -> Option<String> {
        if self.model_type != MODEL_TYPE {
            return Some(format!("model_type is `{}`, expected `{MODEL_TYPE}`", self.model_type));
        }
        let fixed = [
            ("decoder_offset_scale", self.decoder_offset_scale, 0.5),
            ("batch_norm_eps", self.batch_norm_eps, 1e-5),
            ("layer_norm_eps", self.layer_norm_eps, 1e-5),
        ];
        let given = fixed.into_iter().filter_map(|(field, found, only)| Some((field, found?, only)));
        let mut others = given.filter(|(_, found, only)| found != only);
        others.next().map(|(field, found, only)| format!("{field} is {found}, expected {only}"))
    }

    /// Class names in the order of the logits; `None` unless every logit of `num_classes` has one.
    pub fn classes(&self, num_classes: i64) -> Option<Vec<String>> {
        (0..num_classes).map(|i| self.id2label.get(&i.to_string()).cloned()).collect()
    }

    /// Sets in `network` what shapes do not tell.
    pub fn complete(&self, network: &mut RtDetrConfig) {
        let RtDetrConfig { encoder, decoder, .. } = network;
        set(&mut decoder.num_queries, self.num_queries);
        set(&mut decoder.cross_attn_method, self.decoder_method);
        set(&mut decoder.activation, self.decoder_activation_function);
        set(&mut encoder.nhead, self.encoder_attention_heads);
        set(&mut encoder.pe_temperature, self.positional_encoding_temperature);
        set(&mut encoder.normalize_before, self.normalize_before);
        set(&mut encoder.enc_act, self.encoder_activation_function);
        set(&mut encoder.act, self.activation_function);
    }
}

fn set<T>(field: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *field = value;
    }
}

/// The `config.json` of a network.
///
/// # Errors
/// A setting that Hugging Face's model does not have.
pub(super) fn config_json(network: &RtDetrConfig, classes: &[String]) -> Result<Value, WeightsError> {
    let backbone = presnet(network)?;
    let points = uniform_points(network)?;
    let id2label: BTreeMap<String, &String> =
        classes.iter().enumerate().map(|(i, name)| (i.to_string(), name)).collect();
    let label2id: BTreeMap<&String, usize> = classes.iter().enumerate().map(|(i, name)| (name, i)).collect();
    let mut config = json!({
        "architectures": ["RTDetrV2ForObjectDetection"],
        "model_type": MODEL_TYPE,
        "backbone_config": backbone_json(backbone)?,
        "freeze_backbone_batch_norms": true,
        "feat_strides": [8, 16, 32],
        "id2label": id2label,
        "label2id": label2id,
    });
    let parts = [encoder_json(network), decoder_json(&network.decoder, network.encoder.hidden_dim, points)];
    let all = config.as_object_mut().expect("written as an object");
    all.extend(parts.into_iter().filter_map(|part| part.as_object().cloned()).flatten());
    Ok(config)
}

fn encoder_json(network: &RtDetrConfig) -> Value {
    let encoder = &network.encoder;
    json!({
        "encoder_hidden_dim": encoder.hidden_dim,
        "encoder_in_channels": network.backbone.out_channels(),
        "encoder_ffn_dim": encoder.dim_feedforward,
        "encoder_layers": encoder.num_encoder_layers,
        "encoder_attention_heads": encoder.nhead,
        "encode_proj_layers": encoder.use_encoder_idx,
        "encoder_activation_function": encoder.enc_act,
        "activation_function": encoder.act,
        "hidden_expansion": encoder.expansion,
        "normalize_before": encoder.normalize_before,
        "positional_encoding_temperature": encoder.pe_temperature as i64,
    })
}

/// `channels` are the encoder's, `points` those of each level.
fn decoder_json(decoder: &DecoderConfig, channels: i64, points: i64) -> Value {
    json!({
        "d_model": decoder.hidden_dim,
        "num_queries": decoder.num_queries,
        "decoder_in_channels": vec![channels; 3],
        "decoder_ffn_dim": decoder.dim_feedforward,
        "decoder_layers": decoder.eval_layer() + 1,
        "decoder_attention_heads": decoder.nhead,
        "decoder_n_points": points,
        "decoder_n_levels": decoder.num_levels,
        "num_feature_levels": decoder.num_levels,
        "decoder_method": decoder.cross_attn_method,
        "decoder_activation_function": decoder.activation,
        "learn_initial_query": decoder.learn_query_content,
        "num_denoising": decoder.num_denoising,
        "label_noise_ratio": decoder.label_noise_ratio,
        "box_noise_scale": decoder.box_noise_scale,
    })
}

fn backbone_json(config: &PResNetConfig) -> Result<Value, WeightsError> {
    let expansion = config.block_expansion();
    let layer_type = if expansion == 1 { "basic" } else { "bottleneck" };
    Ok(json!({
        "model_type": "rt_detr_resnet",
        "embedding_size": config.stem,
        "hidden_sizes": config.widths.map(|width| width * expansion),
        "depths": config.stage_blocks()?,
        "layer_type": layer_type,
        "out_indices": [2, 3, 4],
        "out_features": ["stage2", "stage3", "stage4"],
    }))
}

fn presnet(network: &RtDetrConfig) -> Result<&PResNetConfig, WeightsError> {
    let select = network.decoder.query_select_method;
    match &network.backbone {
        _ if select != QuerySelectMethod::Default => Err(WeightsError::NotInHuggingFace {
            field: "query_select_method",
            found: format!("{select:?}"),
            expected: "the default",
        }),
        _ if network.encoder.deploy => Err(WeightsError::NotInHuggingFace {
            field: "deploy",
            found: "true".to_owned(),
            expected: "networks whose fusion blocks are not folded",
        }),
        BackboneConfig::PResNet(config) => Ok(config),
        BackboneConfig::HgNetV2(_) => Err(WeightsError::NotInHuggingFace {
            field: "backbone",
            found: "HGNetV2".to_owned(),
            expected: "ResNet-vd here",
        }),
    }
}

fn uniform_points(network: &RtDetrConfig) -> Result<i64, WeightsError> {
    let points = &network.decoder.num_points;
    match points.iter().all(|n| *n == points[0]) {
        true => Ok(points[0]),
        false => Err(WeightsError::NotInHuggingFace {
            field: "num_points",
            found: format!("{points:?}"),
            expected: "as many for every level",
        }),
    }
}
