//! The whole detector.

use guard_core::no_retain;
use tch::{Tensor, nn};

use super::backbone::Backbone;
use super::config::{ConfigError, RtDetrConfig};
use super::hybrid_encoder::HybridEncoder;
use super::noise::NoiseSource;
use super::outputs::{Predictions, TrainOutputs};
use super::rt_detr_transformer::RtDetrTransformerV2;
use crate::ops::Targets;

/// RT-DETR v2: backbone, hybrid encoder, decoder.
///
/// The names under `path` equal the keys of the official state dict.
#[no_retain]
#[derive(Debug)]
pub struct RtDetr {
    backbone: Backbone,
    encoder: HybridEncoder,
    decoder: RtDetrTransformerV2,
}

impl RtDetr {
    /// Builds the network under `path` with fresh values from torch's global generator.
    ///
    /// # Errors
    /// A configuration that does not pass [`RtDetrConfig::validate`].
    pub fn new(path: &nn::Path, config: &RtDetrConfig) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            backbone: Backbone::new(&(path / "backbone"), &config.backbone)?,
            encoder: HybridEncoder::new(
                &(path / "encoder"),
                &config.backbone.out_channels(),
                &config.encoder,
            ),
            decoder: RtDetrTransformerV2::new(&(path / "decoder"), config),
        })
    }

    /// Predictions for `images` `[B, 3, H, W]`, RGB in 0..1; their size must pass
    /// [`RtDetrConfig::check_image_size`].
    ///
    /// Norms use their running statistics. Call it under `tch::no_grad` unless gradients are wanted.
    pub fn forward_eval(&self, images: &Tensor) -> Predictions {
        self.decoder.forward_eval(&self.encode(images, false))
    }

    /// All supervised outputs for `images` `[B, 3, H, W]`, RGB in 0..1; moves the norms' running statistics.
    ///
    /// The images' size must pass [`RtDetrConfig::check_image_size`].
    ///
    /// `targets` are the B images' objects, from which `noise` makes the denoising queries.
    pub fn forward_train(
        &self,
        images: &Tensor,
        targets: &Targets,
        noise: &mut dyn NoiseSource,
    ) -> TrainOutputs {
        self.decode_train(&self.encode(images, true), targets, noise)
    }

    /// The first half of a forward pass: the encoder's feature maps, `[B, D, H/s, W/s]` for strides 8, 16, 32.
    ///
    /// `train` normalises by the batch and moves the norms' running statistics.
    pub fn encode(&self, images: &Tensor, train: bool) -> Vec<Tensor> {
        self.encoder.forward(&self.backbone.forward(images, train), train)
    }

    /// The second half of [`Self::forward_train`], from the maps of [`Self::encode`].
    pub fn decode_train(
        &self,
        maps: &[Tensor],
        targets: &Targets,
        noise: &mut dyn NoiseSource,
    ) -> TrainOutputs {
        self.decoder.forward_train(maps, targets, noise)
    }
}
