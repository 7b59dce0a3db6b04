//! The criterion: which query answers for which object, and what its answer costs.
//!
//! All prediction sets of a step (decoder layers, query selection, denoising) of equal shape are stacked and
//! handled by the same few tensor operations; the costs of every set reach the host in one copy.

pub mod config;
pub mod criterion;
pub mod error;
pub mod losses;
pub mod matcher;

mod assign;
mod stack;
mod validate;
mod values;

pub use config::{BoxesWeight, ClassLoss, CriterionConfig, LossWeights, MatcherConfig};
pub use criterion::Criterion;
pub use error::LossError;
pub use matcher::{Assignment, HungarianMatcher};
pub use values::{LossValues, Losses};
