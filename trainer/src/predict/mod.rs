//! Using a trained detector: on images in memory, on files, on a data set with ground truth.

mod detector;
mod error;
mod inputs;
mod record;

pub use detector::Detector;
pub use error::PredictError;
pub use inputs::{Input, find_inputs, refuse_overwriting};
pub use record::{Failure, Found, ImageRecord, csv_head};

use crate::{eval, report::boxes};

impl From<&eval::Detection> for boxes::Detection {
    fn from(detection: &eval::Detection) -> Self {
        Self {
            class: detection.label as usize,
            score: detection.score as f32,
            box_xyxy: detection.box_xyxy.map(|v| v as f32),
        }
    }
}
