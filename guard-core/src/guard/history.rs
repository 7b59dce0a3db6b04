use crate::{Detached, graph_nodes};
use guard_macros::no_retain;
use std::collections::VecDeque;
use tch::{TchError, Tensor};

/// Why a loss could not be recorded.
#[no_retain]
#[derive(Debug, thiserror::Error)]
pub enum LossError {
    /// The tensor is no single number.
    #[error(
        "a loss is one number, this tensor has shape {size:?}; reduce it first: `loss.mean(Kind::Float)`"
    )]
    NotScalar {
        /// The shape found.
        size: Vec<i64>,
    },
    /// Libtorch could not read it.
    #[error("libtorch cannot read the loss as a number")]
    Unreadable(#[from] TchError),
}

/// Something that [`record_loss`](crate::TrainMemoryGuard::record_loss) can turn into a number: `&Tensor`,
/// `&Detached<Tensor>`, `f64`, `f32`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be recorded as a loss",
    label = "not a loss",
    note = "a loss is a `&Tensor`, a `&Detached<Tensor>`, an `f64` or an `f32`"
)]
pub trait LossValue {
    /// The number.
    ///
    /// # Errors
    /// When there is no single number to read.
    fn value(&self) -> Result<f64, LossError>;

    /// The autograd nodes behind the value, 0 for a number.
    fn graph_nodes(&self) -> u64 {
        0
    }
}

impl LossValue for f64 {
    fn value(&self) -> Result<f64, LossError> {
        Ok(*self)
    }
}

impl LossValue for f32 {
    fn value(&self) -> Result<f64, LossError> {
        Ok(f64::from(*self))
    }
}

impl LossValue for &Tensor {
    fn value(&self) -> Result<f64, LossError> {
        match self.numel() {
            1 => Ok(self.f_double_value(&[])?),
            _ => Err(LossError::NotScalar { size: self.size() }),
        }
    }

    fn graph_nodes(&self) -> u64 {
        graph_nodes(self) as u64
    }
}

impl LossValue for &Detached<Tensor> {
    fn value(&self) -> Result<f64, LossError> {
        (&self.get()).value()
    }
}

/// The last losses, as numbers.
#[no_retain]
#[derive(Debug)]
pub(super) struct LossHistory {
    values: VecDeque<f64>,
    max: usize,
}

impl LossHistory {
    pub(super) fn new(max: usize) -> Self {
        Self { values: VecDeque::new(), max }
    }

    pub(super) fn push(&mut self, value: f64) {
        self.values.push_back(value);
        let surplus = self.values.len().saturating_sub(self.max);
        self.values.drain(..surplus);
    }

    pub(super) fn values(&self) -> &VecDeque<f64> {
        &self.values
    }
}
