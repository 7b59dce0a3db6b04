use guard_macros::no_retain;
use std::fmt;

/// What [`check`](crate::TrainMemoryGuard::check) measured; prints as one line and one more per warning.
///
/// ```text
/// step 40: live 217.1 kB (+16384 B), peak 431.2 kB, heap 9.1 MB, resident 310.0 MB
/// warning: leak suspected: live tensors grow by 16384 bytes per step over 31 steps; something keeps a tensor of every
/// step: keep a number or a `Detached` instead
/// ```
#[no_retain]
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryReport {
    /// Losses recorded so far, or checks made where more checks than losses came.
    pub step: u64,
    /// Live tensor bytes on the watched device.
    pub live_bytes: u64,
    /// Change of `live_bytes` since the check before, 0 at the first.
    pub delta_bytes: i64,
    /// Highest live bytes since the start or the last `reset_peak`.
    pub peak_bytes: u64,
    /// Bytes of the tensors kept by `hold_tensor`, on whichever device.
    pub held_bytes: u64,
    /// Bytes on the C heap that are not tensor data; `None` where the platform does not tell.
    pub heap_bytes: Option<u64>,
    /// Resident memory of the process in bytes; `None` where the platform does not tell.
    pub resident_bytes: Option<u64>,
    /// Autograd nodes behind the last loss recorded as a tensor.
    pub loss_nodes: u64,
    /// What to look into; empty when all is well.
    pub warnings: Vec<Warning>,
}

/// What a guard follows from check to check.
#[no_retain]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watched {
    /// Live tensor bytes.
    TensorBytes,
    /// Bytes on the C heap beside the tensors.
    HeapBytes,
    /// Autograd nodes behind the loss.
    LossNodes,
}

/// A reason to look at the loop.
#[no_retain]
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// More live bytes than `warn_bytes`.
    OverLimit {
        /// Live tensor bytes.
        live: u64,
        /// The limit set.
        limit: u64,
    },
    /// Steady growth over the whole window.
    LeakSuspected {
        /// What grows.
        what: Watched,
        /// Bytes, or nodes, per step.
        per_step: f64,
        /// The steps over which it grew.
        steps: u64,
    },
}

impl fmt::Display for MemoryReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "step {}: live {}", self.step, Bytes(self.live_bytes))?;
        write!(out, " ({:+} B), peak {}", self.delta_bytes, Bytes(self.peak_bytes))?;
        if let Some(heap) = self.heap_bytes {
            write!(out, ", heap {}", Bytes(heap))?;
        }
        if let Some(resident) = self.resident_bytes {
            write!(out, ", resident {}", Bytes(resident))?;
        }
        if self.held_bytes > 0 {
            write!(out, ", held {}", Bytes(self.held_bytes))?;
        }
        self.warnings.iter().try_for_each(|warning| write!(out, "\nwarning: {warning}"))
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OverLimit { live, limit } => {
                write!(out, "{} of live tensors, over the limit of {}", Bytes(*live), Bytes(*limit))?;
                out.write_str("; a smaller batch or image needs less")
            }
            Self::LeakSuspected { what, per_step, steps } => {
                let unit = if *what == Watched::LossNodes { "nodes" } else { "bytes" };
                write!(
                    out,
                    "leak suspected: {what} grow by {per_step:.0} {unit} per step over {steps} steps; "
                )?;
                out.write_str(what.way_out())
            }
        }
    }
}

impl fmt::Display for Watched {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::TensorBytes => "live tensors",
            Self::HeapBytes => "heap objects",
            Self::LossNodes => "autograd nodes behind the loss",
        })
    }
}

impl Watched {
    fn way_out(self) -> &'static str {
        match self {
            Self::TensorBytes => {
                "something keeps a tensor of every step: keep a number or a `Detached` instead"
            }
            Self::HeapBytes => {
                "something keeps the graph of every step, as a stored loss does: keep a number instead"
            }
            Self::LossNodes => {
                "the loss is built on earlier steps: add it up in a `Detached`, and detach a carried state"
            }
        }
    }
}

/// `512 B`, `16.8 kB`, `1.25 GB`.
struct Bytes(u64);

impl fmt::Display for Bytes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes @ 0..1_000 => write!(out, "{bytes} B"),
            bytes @ 1_000..1_000_000 => write!(out, "{:.1} kB", bytes as f64 / 1e3),
            bytes @ 1_000_000..1_000_000_000 => write!(out, "{:.1} MB", bytes as f64 / 1e6),
            bytes => write!(out, "{:.2} GB", bytes as f64 / 1e9),
        }
    }
}
