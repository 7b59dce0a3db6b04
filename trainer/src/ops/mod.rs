//! Tensor operations that the model and the loss share.

pub mod activation;
pub mod boxes;
pub mod targets;

pub use activation::inverse_sigmoid;
pub use boxes::{cxcywh_to_xyxy, xyxy_to_cxcywh};
pub use targets::Targets;
