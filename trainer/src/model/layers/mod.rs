//! Layers that several parts of RT-DETR share.

pub mod attention;
pub mod batch_norm;
pub mod conv_norm;
pub mod init;
pub mod mlp;

pub use attention::MultiheadAttention;
pub use batch_norm::BatchNorm2d;
pub use conv_norm::{Activation, ConvNormLayer, ConvShape};
pub use mlp::Mlp;
