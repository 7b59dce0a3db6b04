//! Element-wise functions.

use tch::Tensor;

/// Smallest argument of the logarithm in [`inverse_sigmoid`].
const EPS: f64 = 1e-5;

/// The logit of a probability, finite for every input.
///
/// Any shape. `x` is clipped to `[0, 1]`, so the gradient is zero outside; numerator and denominator are clipped
/// to 1e-5 one by one, so for `x < 1e-5` only the denominator carries gradient, as in RT-DETR.
pub fn inverse_sigmoid(x: &Tensor) -> Tensor {
    let x = x.clamp(0., 1.);
    (x.clamp_min(EPS) / (1f64 - &x).clamp_min(EPS)).log()
}
