//! What can go wrong between a checkpoint, images and detections.

use std::path::PathBuf;

use crate::{data::DataError, eval::EvalError, train::TrainError};

/// A prediction that cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PredictError {
    /// The checkpoint cannot be used, or the evaluation failed.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// Predictions, classes or ground truth do not belong together.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// An image cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A folder without weights.
    #[error("{} holds neither best.safetensors nor last.safetensors; name the folder of a run, or a checkpoint", folder.display())]
    NoWeights {
        /// The folder.
        folder: PathBuf,
    },
    /// An image without a pixel.
    #[error("image {index} is {width}x{height} pixels, expected at least 1x1")]
    EmptyImage {
        /// Its place among those given, from 0.
        index: usize,
        /// In pixels.
        width: u32,
        /// In pixels.
        height: u32,
    },
    /// A folder cannot be listed.
    #[error("cannot look for images: {cause}")]
    List {
        /// What the system said, with the folder.
        cause: std::io::Error,
    },
    /// No image among what was named.
    #[error("no image in {named}: expected files that end in {expected}")]
    NoImages {
        /// What was named.
        named: String,
        /// The endings that are looked for.
        expected: String,
    },
    /// An output that would replace an input.
    #[error("{} is one of the images to predict on and would be overwritten; pick another place for the output", path.display())]
    Overwrites {
        /// The file.
        path: PathBuf,
    },
}
