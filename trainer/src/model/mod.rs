//! RT-DETR v2.

pub mod anchors;
pub mod config;
pub mod config_check;
pub mod csp_rep;
pub mod decoder;
pub mod decoder_layer;
pub mod denoising;
pub mod hybrid_encoder;
pub mod layers;
pub mod ms_deform_attn;
pub mod noise;
pub mod outputs;
pub mod position;
pub mod presnet;
pub mod query_selection;
pub mod residual;
pub mod rt_detr;
pub mod rt_detr_transformer;
pub mod transformer_encoder;

pub use config::{
    ConfigError, CrossAttnMethod, DecoderConfig, HybridEncoderConfig, PResNetConfig, QuerySelectMethod,
    RtDetrConfig,
};
pub use noise::{NoiseSource, TorchNoise};
pub use outputs::{DnMeta, Predictions, TrainOutputs};
pub use rt_detr::RtDetr;
