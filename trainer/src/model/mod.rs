//! RT-DETR v2, as the official PyTorch code computes it.
//!
//! Names of parameters equal the keys of the official state dict; [`state_order`] lists them in its order. On square
//! images, and wherever the official code works, results agree with it to rounding.
//!
//! # Where it differs from the official code
//!
//! | | official | here |
//! | --- | --- | --- |
//! | position table of maps that are not square | its rows are ordered column by column, the tokens row by row | ordered as the tokens ([`position`]) |
//! | `discrete` sampling, maps that are not square | both coordinates are clamped by the height: wide maps lose their right part, tall ones fail | each by its own side ([`ms_deform_attn`]) |
//! | `agnostic` selection with a label above 0 | fails in the matcher | the selection's single column stands for every class ([`crate::loss::matcher`]) |
//! | `box_noise_scale` 0 | fails | denoising boxes without noise ([`denoising`]) |
//! | focal class loss | fails: the target is an integer | the loss of the same formula ([`crate::loss::losses::focal`]) |
//! | costs that are not finite | the matcher fails | such a pair is matched last ([`crate::loss::matcher`]) |
//! | an evaluation image of another size than `eval_spatial_size` | the position table does not fit, it fails | anchors and table are made for the image |

pub mod anchors;
pub mod backbone;
pub mod config;
pub mod config_backbone;
pub mod config_check;
pub mod cost;
pub mod csp_rep;
pub mod decoder;
pub mod decoder_layer;
pub mod denoising;
pub mod hg_block;
pub mod hg_stem;
pub mod hgnetv2;
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
pub mod state_order;
pub mod transformer_encoder;

pub use config::{
    ConfigError, CrossAttnMethod, DecoderConfig, HybridEncoderConfig, QuerySelectMethod, RtDetrConfig,
};
pub use config_backbone::{BackboneConfig, HgNetV2Config, HgNetV2Name, HgStageConfig, PResNetConfig};
pub use layers::Activation;
pub use noise::{NoiseSource, TorchNoise};
pub use outputs::{DnMeta, Predictions, TrainOutputs};
pub use rt_detr::RtDetr;
