//! The figures of a run (loss and AP, memory, the leak experiment) and of an evaluation (precision against recall,
//! confusion of classes).
//!
//! Each curve is labelled where it ends, and the title states the result.

mod confusion;
mod figure;
mod leak;
mod loss;
mod loss_curves;
mod memory;
mod panel;
mod precision_recall;
mod smooth;
mod ticks;

pub use confusion::{ConfusionTable, confusion_png};
pub use leak::{LeakCurves, LeakPoint, LeakRun, leak_png};
pub use loss::loss_png;
pub use loss_curves::{EpochPoint, LossCurves, LossPoint};
pub use memory::{EpochMemory, MemoryCurve, MemoryPoint, memory_png};
pub use precision_recall::{BestPoint, PrecisionCurve, PrecisionFigure, precision_recall_png};
