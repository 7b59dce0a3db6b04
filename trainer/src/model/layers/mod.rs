//! Layers that several parts of RT-DETR share.

pub mod activation;
pub mod affine;
pub mod attention;
pub mod batch_norm;
pub mod conv_bn_act;
pub mod conv_norm;
pub mod dropout;
pub mod init;
pub mod mlp;

pub use activation::Activation;
pub use attention::MultiheadAttention;
pub use batch_norm::BatchNorm2d;
pub use conv_norm::{ConvNormLayer, ConvShape};
pub use dropout::Dropout;
pub use mlp::Mlp;
