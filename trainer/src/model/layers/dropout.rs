//! Dropout.

use guard_core::no_retain;
use tch::Tensor;

/// Zeroes a share of the elements in training and scales the others up, so that the mean stays.
#[no_retain]
#[derive(Debug, Clone, Copy)]
pub struct Dropout {
    p: f64,
}

impl Dropout {
    /// `p` is the share that is dropped, from 0 to 1.
    pub fn new(p: f64) -> Self {
        Self { p }
    }

    /// The share that is dropped now.
    pub fn rate(self, train: bool) -> f64 {
        if train { self.p } else { 0. }
    }

    /// Any shape; without a share to drop, nothing is drawn from the generator.
    pub fn forward(self, x: Tensor, train: bool) -> Tensor {
        match self.rate(train) {
            0. => x,
            p => x.dropout(p, true),
        }
    }
}
