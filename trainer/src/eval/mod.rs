//! From predictions to numbers.

pub mod coco_eval;
pub mod coco_stats;
pub mod error;
pub mod mscoco;
pub mod postprocess;

pub use coco_eval::{Category, CocoEvaluator, GroundTruthImage, GroundTruthObject};
pub use coco_stats::{ClassStats, CocoStats};
pub use error::EvalError;
pub use postprocess::{Detection, PostProcessor, PostProcessorConfig};
