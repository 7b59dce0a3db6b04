//! What a person looks at: the run directory, its log, its pictures and the progress bar.
//!
//! Everything here works on plain numbers and images; no tensor enters this module.

pub mod atomic;
pub mod boxes;
pub mod contact_sheet;
pub mod metrics;
pub mod picture;
pub mod plots;
pub mod progress;
pub mod run_dir;
pub mod units;

mod canvas;
mod coverage;
mod error;
mod font;
mod pace;
mod palette;

pub use contact_sheet::{Sheet, Tile, contact_sheet};
pub use error::ReportError;
pub use metrics::{MetricsLog, Record};
pub use pace::Pace;
pub use picture::draw_detections;
pub use plots::{
    ConfusionTable, LeakCurves, LossCurves, MemoryCurve, PrecisionFigure, confusion_png, leak_png, loss_png,
    memory_png, precision_recall_png,
};
pub use progress::{Progress, StepStatus};
pub use run_dir::{Existing, RunDir};
