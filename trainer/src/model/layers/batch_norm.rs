//! Batch normalisation, trained or frozen.

use guard_core::{Param, no_retain};
use tch::nn::Init;
use tch::{Tensor, nn};

/// Added to the variance.
const EPS: f64 = 1e-5;
/// Weight of the newest batch in the running statistics.
const MOMENTUM: f64 = 0.1;

/// Batch normalisation over `[B, C, H, W]` with PyTorch's state: `weight`, `bias`, `running_mean`, `running_var`
/// and `num_batches_tracked`.
///
/// A frozen one (`FrozenBatchNorm2d` in RT-DETR) keeps the first four as buffers and always normalises by the
/// running statistics.
#[no_retain]
#[derive(Debug)]
pub struct BatchNorm2d {
    weight: Param,
    bias: Param,
    running_mean: Param,
    running_var: Param,
    num_batches_tracked: Option<Param>,
}

impl BatchNorm2d {
    /// A trainable norm of `channels` channels: weight 1, bias 0, mean 0, variance 1.
    pub fn new(path: &nn::Path, channels: i64) -> Self {
        Self {
            weight: Param::new(path, "weight", &[channels], Init::Const(1.)),
            bias: Param::new(path, "bias", &[channels], Init::Const(0.)),
            running_mean: Param::buffer(path, "running_mean", &[channels], Init::Const(0.)),
            running_var: Param::buffer(path, "running_var", &[channels], Init::Const(1.)),
            num_batches_tracked: Some(Param::buffer_from(path, "num_batches_tracked", &Tensor::from(0i64))),
        }
    }

    /// A frozen norm of `channels` channels, the identity until a checkpoint is loaded.
    pub fn frozen(path: &nn::Path, channels: i64) -> Self {
        Self {
            weight: Param::buffer(path, "weight", &[channels], Init::Const(1.)),
            bias: Param::buffer(path, "bias", &[channels], Init::Const(0.)),
            running_mean: Param::buffer(path, "running_mean", &[channels], Init::Const(0.)),
            running_var: Param::buffer(path, "running_var", &[channels], Init::Const(1.)),
            num_batches_tracked: None,
        }
    }

    /// Normalises `x` `[B, C, H, W]`; in training by the batch, which also moves the running statistics.
    pub fn forward(&self, x: &Tensor, train: bool) -> Tensor {
        let train = train && self.count_batch();
        x.batch_norm(
            Some(self.weight.tensor()),
            Some(self.bias.tensor()),
            Some(self.running_mean.tensor()),
            Some(self.running_var.tensor()),
            train,
            MOMENTUM,
            EPS,
            true,
        )
    }

    /// Adds one to the batch counter; false for a frozen norm, which has none.
    fn count_batch(&self) -> bool {
        let Some(count) = &self.num_batches_tracked else { return false };
        let _ = count.tensor().g_add_scalar_(1);
        true
    }

    /// Excludes weight and bias from training.
    pub fn freeze(&self) {
        for param in [&self.weight, &self.bias] {
            param.freeze();
        }
    }
}
