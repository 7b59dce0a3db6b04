//! A learnt scale and shift.

use guard_core::{Param, no_retain};
use tch::nn::Init;
use tch::{Tensor, nn};

/// `scale * x + bias` with one learnt number each, as HGNetV2 may put behind an activation.
#[no_retain]
#[derive(Debug)]
pub struct LearnableAffine {
    scale: Param,
    bias: Param,
}

impl LearnableAffine {
    /// State keys `scale [1]` and `bias [1]`; starts as the identity.
    pub fn new(path: &nn::Path) -> Self {
        Self {
            scale: Param::new(path, "scale", &[1], Init::Const(1.)),
            bias: Param::new(path, "bias", &[1], Init::Const(0.)),
        }
    }

    /// Any shape.
    pub fn forward(&self, x: &Tensor) -> Tensor {
        x * self.scale.tensor() + self.bias.tensor()
    }

    /// Excludes both numbers from training.
    pub fn freeze(&self) {
        self.scale.freeze();
        self.bias.freeze();
    }
}
