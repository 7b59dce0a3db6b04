//! The training step and what it needs: optimiser, schedule, average of the weights, checkpoints.

pub mod amp;
pub mod checkpoint;
pub mod ema;
pub mod epoch;
pub mod error;
pub mod leak;
mod native;
pub mod optim;
pub mod param_groups;
pub mod run;
pub mod schedule;
pub mod session;
pub mod step;

pub use amp::{Amp, GradScaler, GradScalerConfig};
pub use checkpoint::Checkpoint;
pub use ema::{EmaConfig, ModelEma};
pub use epoch::{EpochEnd, StepObserver, collect_detections, evaluate, train_one_epoch};
pub use error::TrainError;
pub use optim::{AdamW, AdamWConfig, GroupOptions};
pub use param_groups::{ParamGroup, ParamGroupError};
pub use run::{Run, RunEnd};
pub use schedule::Schedule;
pub use session::Session;
pub use step::{StepPhases, StepReport};
