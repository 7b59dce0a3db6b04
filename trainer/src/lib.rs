//! An RT-DETR v2 detector trainer written under the retention policy.

pub mod config;
pub mod data;
pub mod eval;
pub mod loss;
pub mod model;
pub mod ops;
pub mod predict;
pub mod report;
pub mod train;
pub mod weights;
