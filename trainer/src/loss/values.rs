//! The loss of a step: as tensors to differentiate, and as numbers to keep.

use guard_core::no_retain;
use serde::Serialize;
use tch::{Kind, Tensor};

/// All weighted loss terms of one step: a step value, holds the graph.
#[derive(Debug)]
pub struct Losses {
    /// `loss_vfl`, `loss_bbox`, `loss_giou`, and each again with `_aux_0`, `_enc_0`, `_dn_0`, …
    pub names: Vec<String>,
    /// The terms in the order of the names, `[T]` of `Float`.
    pub terms: Tensor,
}

impl Losses {
    /// The sum of all terms, the scalar to call `backward` on.
    pub fn total(&self) -> Tensor {
        self.terms.sum(Kind::Float)
    }

    /// One term by its name.
    pub fn term(&self, name: &str) -> Option<Tensor> {
        let index = self.names.iter().position(|known| known == name)?;
        Some(self.terms.get(index as i64))
    }

    /// The numbers, with one wait for the device.
    pub fn values(&self) -> LossValues {
        let terms: Vec<f64> =
            self.terms.detach().to_kind(Kind::Double).try_into().expect("the terms are one-dimensional");
        LossValues { total: terms.iter().sum(), terms: self.names.iter().cloned().zip(terms).collect() }
    }
}

/// The numbers of one step, free of any graph.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct LossValues {
    /// Sum of the terms.
    pub total: f64,
    /// Name and weighted value of each term.
    pub terms: Vec<(String, f64)>,
}

impl LossValues {
    /// One term by its name.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.terms.iter().find(|(known, _)| known == name).map(|&(_, value)| value)
    }

    /// Whether every term is a finite number; if not, the step must not reach the weights.
    pub fn is_finite(&self) -> bool {
        self.terms.iter().all(|(_, value)| value.is_finite())
    }
}
