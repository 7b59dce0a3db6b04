//! From predictions to numbers.

pub mod class_map;
pub mod coco_eval;
pub mod coco_json;
pub mod coco_stats;
pub mod confusion;
pub mod curves;
pub mod error;
pub mod mscoco;
pub mod postprocess;

pub use class_map::ClassMap;
pub use coco_eval::{Category, CocoEvaluator, GroundTruthImage, GroundTruthObject};
pub use coco_json::{GroundTruthFile, ResultRecord};
pub use coco_stats::{ClassStats, CocoStats};
pub use confusion::ConfusionMatrix;
pub use curves::{BestF1, ClassCurve, PrecisionRecall};
pub use error::EvalError;
pub use postprocess::{Detection, PostProcessor, PostProcessorConfig};
