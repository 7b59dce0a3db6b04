//! What can go wrong in a training run.

use std::path::PathBuf;

use super::ParamGroupError;
use crate::{
    data::DataError, eval::EvalError, loss::LossError, model::ConfigError, report::ReportError,
    weights::WeightsError,
};

/// A training run that cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// Reading images or annotations failed.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The evaluation failed.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// The criterion failed.
    #[error(transparent)]
    Loss(#[from] LossError),
    /// The model's configuration is inconsistent.
    #[error(transparent)]
    Model(#[from] ConfigError),
    /// The optimiser's groups are inconsistent.
    #[error(transparent)]
    Groups(#[from] ParamGroupError),
    /// Weights from elsewhere cannot be used.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// A report could not be written.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The loss could not be read.
    #[error(transparent)]
    LossValue(#[from] guard_core::LossError),
    /// libtorch refused an operation.
    #[error("libtorch: {0}")]
    Torch(#[from] tch::TchError),
    /// A fused operation failed.
    #[error("{operation} failed in libtorch: {message}")]
    Native {
        /// The operation.
        operation: &'static str,
        /// libtorch's words.
        message: String,
    },
    /// The loss is not a number any more.
    #[error(
        "the loss became {loss} at step {step} ({terms}): lower --lr or raise the warm-up; \
         the last finished epoch is in last.safetensors, go on from it with --resume"
    )]
    NonFiniteLoss {
        /// Total loss.
        loss: f64,
        /// Step, counted from 0.
        step: u64,
        /// The terms that are not finite.
        terms: String,
    },
    /// Half precision has too small a range for the CPU's gradients, and no fast kernels there.
    #[error(
        "mixed precision in f16 needs a CUDA device, this run is on {device}: choose bf16, or another device"
    )]
    HalfOnCpu {
        /// The device of the run.
        device: String,
    },
    /// A file is not a checkpoint, or not one of this model.
    #[error("{}: {problem}", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// What is wrong and what to do.
        problem: String,
    },
    /// A checkpoint lacks a tensor of this model.
    #[error("{}: no tensor `{name}`, which this model needs; {WAY_OUT}", path.display())]
    MissingTensor {
        /// The checkpoint.
        path: PathBuf,
        /// Name of the tensor in it.
        name: String,
    },
    /// A tensor of a checkpoint has another shape than the model's.
    #[error("{}: tensor `{name}` has shape {found:?}, this model needs {expected:?}; {WAY_OUT}", path.display())]
    TensorShape {
        /// The checkpoint.
        path: PathBuf,
        /// Name of the tensor in it.
        name: String,
        /// Its dimensions.
        found: Vec<i64>,
        /// Those of the model.
        expected: Vec<i64>,
    },
    /// A checkpoint was written for other classes than the data has.
    #[error("{}: it was trained on the classes {}, the data has {}; resume on the same data", path.display(), found.join(", "), expected.join(", "))]
    Classes {
        /// The checkpoint.
        path: PathBuf,
        /// Its classes.
        found: Vec<String>,
        /// Those of the data.
        expected: Vec<String>,
    },
}

const WAY_OUT: &str =
    "the file was written with another configuration: go on with that one, or start a new run";
