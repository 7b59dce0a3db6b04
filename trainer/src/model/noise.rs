//! Where the denoising queries take their noise from.

use guard_core::no_retain;
use tch::{Device, Kind, Tensor};

/// The four draws of one batch of denoising queries, asked for in the order of the methods.
///
/// A trait, so that a recorded run can be replayed.
pub trait NoiseSource {
    /// Uniform in `[0, 1)`, `[B, N]` `Float`: which labels are redrawn.
    fn rand_label(&mut self, dims: [i64; 2], device: Device) -> Tensor;
    /// Uniform in `0..num_classes`, `[B, N]`, any integer kind: the redrawn labels.
    fn new_label(&mut self, num_classes: i64, dims: [i64; 2], device: Device) -> Tensor;
    /// 0 or 1, `[B, N, 4]`, any kind: the directions in which the corners move.
    fn rand_sign01(&mut self, dims: [i64; 3], device: Device) -> Tensor;
    /// Uniform in `[0, 1)`, `[B, N, 4]` `Float`: how far they move.
    fn rand_part(&mut self, dims: [i64; 3], device: Device) -> Tensor;
}

/// Draws from torch's global generator, seeded by `tch::manual_seed`.
#[no_retain]
#[derive(Debug, Default, Clone, Copy)]
pub struct TorchNoise;

impl NoiseSource for TorchNoise {
    fn rand_label(&mut self, dims: [i64; 2], device: Device) -> Tensor {
        Tensor::rand(dims, (Kind::Float, device))
    }

    fn new_label(&mut self, num_classes: i64, dims: [i64; 2], device: Device) -> Tensor {
        Tensor::randint(num_classes, dims, (Kind::Int64, device))
    }

    fn rand_sign01(&mut self, dims: [i64; 3], device: Device) -> Tensor {
        Tensor::randint(2, dims, (Kind::Float, device))
    }

    fn rand_part(&mut self, dims: [i64; 3], device: Device) -> Tensor {
        Tensor::rand(dims, (Kind::Float, device))
    }
}
