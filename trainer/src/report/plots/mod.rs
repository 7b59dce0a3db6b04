//! The three figures of a run: loss and AP, memory, and the leak experiment.
//!
//! Each curve is labelled where it ends, and the title states the result.

mod figure;
mod leak;
mod loss;
mod loss_curves;
mod memory;
mod panel;
mod smooth;
mod ticks;

pub use leak::{LeakCurves, LeakPoint, LeakRun, leak_png};
pub use loss::loss_png;
pub use loss_curves::{EpochPoint, LossCurves, LossPoint};
pub use memory::{EpochMemory, MemoryCurve, MemoryPoint, memory_png};
