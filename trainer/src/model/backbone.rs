//! The convolutional backbone, whichever it is.

use guard_core::no_retain;
use tch::{Tensor, nn};

use super::config::ConfigError;
use super::config_backbone::BackboneConfig;
use super::hgnetv2::HgNetV2;
use super::presnet::PResNet;

/// Makes three feature maps of an image.
///
/// # Shapes
/// `[B, 3, h, w]` to maps of strides 8, 16 and 32, finest first.
#[no_retain]
#[derive(Debug)]
pub enum Backbone {
    /// ResNet-vd.
    PResNet(Box<PResNet>),
    /// HGNetV2.
    HgNetV2(Box<HgNetV2>),
}

impl Backbone {
    /// Builds the backbone under `path`.
    ///
    /// # Errors
    /// An unknown depth of a ResNet.
    pub fn new(path: &nn::Path, config: &BackboneConfig) -> Result<Self, ConfigError> {
        Ok(match config {
            BackboneConfig::PResNet(config) => Self::PResNet(Box::new(PResNet::new(path, config)?)),
            BackboneConfig::HgNetV2(config) => Self::HgNetV2(Box::new(HgNetV2::new(path, config))),
        })
    }

    /// `train` normalises by the batch and moves the norms' running statistics.
    pub fn forward(&self, images: &Tensor, train: bool) -> Vec<Tensor> {
        match self {
            Self::PResNet(backbone) => backbone.forward(images, train),
            Self::HgNetV2(backbone) => backbone.forward(images, train),
        }
    }
}
