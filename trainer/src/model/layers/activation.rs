//! Activation functions.

use guard_core::no_retain;
use serde::{Deserialize, Serialize};
use tch::Tensor;

/// A function applied to each element.
#[no_retain]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    /// Nothing.
    Identity,
    /// `max(x, 0)`.
    Relu,
    /// `x * sigmoid(x)`.
    #[serde(alias = "swish")]
    Silu,
    /// `x * Phi(x)`, Phi being the exact normal distribution function.
    Gelu,
    /// `max(x, x / 100)`.
    LeakyRelu,
    /// `clamp(x / 6 + 1/2, 0, 1)`.
    #[serde(rename = "hardsigmoid")]
    HardSigmoid,
}

impl Activation {
    /// Applies the function; may overwrite `x`, so `x` must not be needed by the backward pass of what made it.
    pub fn apply(self, mut x: Tensor) -> Tensor {
        match self {
            Self::Identity => x,
            Self::Relu => x.relu_(),
            Self::Silu => x.silu(),
            Self::Gelu => x.gelu("none"),
            Self::LeakyRelu => x.leaky_relu(),
            Self::HardSigmoid => x.hardsigmoid(),
        }
    }
}
