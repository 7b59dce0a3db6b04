//! Mixed precision: which type the forward pass computes in, and the scaling that keeps small gradients from vanishing
//! in half floats (Micikevicius et al. 2018; the arithmetic of `torch.amp.GradScaler`).

use std::marker::PhantomData;

use guard_core::{Detached, no_retain};
use serde::{Deserialize, Serialize};
use tch::{Device, Kind, Tensor};

use super::{
    AdamW, Checkpoint, TrainError,
    native::{self, AutocastState},
};

/// Precision of the forward pass in training; weights, criterion and optimiser are always f32.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
#[no_retain]
pub enum Amp {
    /// f32.
    #[default]
    Off,
    /// bfloat16, which has the range of f32: nothing is scaled.
    Bf16,
    /// Half floats on CUDA, with scaled gradients.
    F16,
}

impl Amp {
    /// Whether a run on `device` can have this precision.
    ///
    /// # Errors
    /// Half floats without CUDA.
    pub fn check(self, device: Device) -> Result<(), TrainError> {
        match (self, device) {
            (Self::F16, Device::Cuda(_)) | (Self::Off | Self::Bf16, _) => Ok(()),
            (Self::F16, _) => Err(TrainError::HalfOnCpu { device: format!("{device:?}") }),
        }
    }

    /// A fresh scaler, where this precision needs one.
    pub fn scaler(self, device: Device) -> Option<GradScaler> {
        (self == Self::F16).then(|| GradScaler::new(GradScalerConfig::default(), device))
    }

    /// Begins a region in which operations on `device` choose this precision; `None` when it is off.
    ///
    /// The region ends when the value is dropped, and concerns this thread only.
    ///
    /// # Errors
    /// What libtorch reports.
    pub fn autocast(self, device: Device) -> Result<Option<Autocast>, TrainError> {
        if self == Self::Off {
            return Ok(None);
        }
        let cuda = matches!(device, Device::Cuda(_));
        let before = native::autocast_enter(cuda, self == Self::F16)?;
        Ok(Some(Autocast { cuda, before, thread: PhantomData }))
    }
}

/// A region of mixed precision: restores what was before when it is dropped.
///
/// Converted weights are not cached: libtorch's cache keeps a copy of every weight until the region ends, and few are read
/// more than once.
#[derive(Debug)]
#[must_use = "the region ends when this is dropped"]
pub struct Autocast {
    cuda: bool,
    before: AutocastState,
    /// Autocast is a setting of the thread.
    thread: PhantomData<*const ()>,
}

impl Drop for Autocast {
    fn drop(&mut self) {
        native::autocast_exit(self.cuda, &self.before).expect("settings that were read can be set");
    }
}

/// How the scale follows the gradients; the defaults are those of PyTorch.
#[derive(Debug, Clone, Copy, PartialEq)]
#[no_retain]
pub struct GradScalerConfig {
    /// The first scale.
    pub init_scale: f64,
    /// What the scale is multiplied by after `growth_interval` finite steps.
    pub growth_factor: f64,
    /// What the scale is multiplied by after a step that is not finite.
    pub backoff_factor: f64,
    /// Finite steps in a row before the scale grows.
    pub growth_interval: i64,
}

impl Default for GradScalerConfig {
    fn default() -> Self {
        Self { init_scale: 65536.0, growth_factor: 2.0, backoff_factor: 0.5, growth_interval: 2000 }
    }
}

/// Multiplies the loss, divides the gradients, and leaves out steps whose gradients are not finite.
///
/// In a step: [`scale`](Self::scale) the loss and differentiate, [`unscale`](Self::unscale), clip, [`step`](Self::step),
/// [`update`](Self::update).
#[derive(Debug)]
#[no_retain]
pub struct GradScaler {
    config: GradScalerConfig,
    /// `Float`.
    scale: Detached<Tensor>,
    /// Finite steps in a row, `Int`.
    growth_tracker: Detached<Tensor>,
    /// 1 after gradients that are not finite, `Float`.
    found_inf: Detached<Tensor>,
}

impl GradScaler {
    /// Starts with the first scale.
    pub fn new(config: GradScalerConfig, device: Device) -> Self {
        let scalar = |value: f64, kind| Detached::new(&Tensor::full([], value, (kind, device)));
        Self {
            scale: scalar(config.init_scale, Kind::Float),
            growth_tracker: scalar(0.0, Kind::Int),
            found_inf: scalar(0.0, Kind::Float),
            config,
        }
    }

    /// The loss to differentiate.
    pub fn scale(&self, loss: &Tensor) -> Tensor {
        loss * self.scale.get()
    }

    /// The factor of the next step.
    pub fn factor(&self) -> f64 {
        self.scale.double_value(&[])
    }

    /// Divides the gradients of `optimizer` by the scale, and looks whether all are finite.
    ///
    /// # Errors
    /// What libtorch reports.
    pub fn unscale(&mut self, optimizer: &AdamW) -> Result<(), TrainError> {
        native::unscale_grads(&optimizer.params(), &self.scale.get(), &self.found_inf.get())
    }

    /// Updates the parameters if the gradients were finite, and tells whether it did.
    ///
    /// # Errors
    /// What libtorch reports.
    pub fn step(&mut self, optimizer: &mut AdamW) -> Result<bool, TrainError> {
        let finite = self.found_inf.double_value(&[]) == 0.0;
        if finite {
            optimizer.step()?;
        }
        Ok(finite)
    }

    /// Lowers the scale after gradients that were not finite, raises it after many that were.
    pub fn update(&mut self) {
        let GradScalerConfig { growth_factor, backoff_factor, growth_interval, .. } = self.config;
        let (tracker, found_inf) = (self.growth_tracker.get(), self.found_inf.get());
        self.scale.update(|scale| {
            let _ = scale.internal_amp_update_scale_(
                &tracker,
                &found_inf,
                growth_factor,
                backoff_factor,
                growth_interval,
            );
        });
    }

    /// The scale and the finite steps in a row, by name.
    pub fn state(&self) -> Vec<(String, Tensor)> {
        let tracker = self.growth_tracker.get().to_kind(Kind::Int64);
        vec![("scale".to_owned(), self.scale.get()), ("growth_tracker".to_owned(), tracker)]
    }

    /// Overwrites the state with the entries of `checkpoint` behind `prefix`.
    ///
    /// # Errors
    /// When an entry is missing or has another shape.
    pub fn load_state(&mut self, checkpoint: &Checkpoint, prefix: &str) -> Result<(), TrainError> {
        checkpoint.read_into(&format!("{prefix}scale"), &mut self.scale.get())?;
        checkpoint.read_into(&format!("{prefix}growth_tracker"), &mut self.growth_tracker.get())
    }
}
