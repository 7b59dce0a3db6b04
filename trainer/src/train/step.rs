//! The training step, in the official order: forward, loss, backward, clip, update, average.
//!
//! In mixed precision only the forward pass is; a step that the scaler skips for gradients that are not finite still counts
//! for the schedule and the average, as in the official code.

use std::time::Instant;

use guard_core::{Warning, no_retain};
use serde::Serialize;
use tch::Tensor;

use super::{Session, TrainError};
use crate::{
    data::Batch,
    loss::LossValues,
    model::{TorchNoise, TrainOutputs},
    ops::Targets,
};

/// What a step leaves behind: plain numbers.
#[derive(Debug, Clone, PartialEq)]
#[no_retain]
pub struct StepReport {
    /// Optimiser steps before this one.
    pub step: u64,
    /// Learning rate of the step.
    pub lr: f64,
    /// Sum of all terms.
    pub loss: f64,
    /// Every term by its official name.
    pub terms: Vec<(String, f64)>,
    /// Total gradient norm before clipping.
    pub grad_norm: f64,
    /// Images of the batch.
    pub images: usize,
    /// Live tensor bytes after the step.
    pub live_bytes: u64,
    /// Most tensor bytes alive during the step.
    pub peak_bytes: u64,
    /// What the memory guard finds suspicious; empty when all is well.
    pub warnings: Vec<Warning>,
    /// Where the time went.
    pub phases: StepPhases,
}

/// Seconds that the parts of a step took on the host; an accelerator that works ahead shifts them to the next wait.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[no_retain]
pub struct StepPhases {
    /// Batch to device, and the network.
    pub forward: f64,
    /// Matching and all loss terms, to the numbers on the host.
    pub criterion: f64,
    /// Gradients.
    pub backward: f64,
    /// Clipping and the optimiser.
    pub clip_adamw: f64,
    /// The average of the weights.
    pub ema: f64,
}

impl Session {
    /// One optimiser step on `batch`.
    #[no_retain(step)]
    pub fn step(&mut self, batch: &Batch) -> Result<StepReport, TrainError> {
        let step = self.counters.step;
        // The noise of a step depends on nothing but the seed and the step: a resumed run draws the same.
        tch::manual_seed(step_seed(self.config.seed, step));
        self.optimizer.set_lr(self.schedule.lr(step));
        self.guard.reset_peak();

        let (mut clock, mut phases) = (Lap::start(), StepPhases::default());
        let values = self.differentiate(batch, &mut clock, &mut phases)?;
        let grad_norm = self.update_weights()?;
        self.optimizer.zero_grad();
        phases.clip_adamw = clock.lap();
        self.ema.update()?;
        phases.ema = clock.lap();
        self.counters.step += 1;
        self.counters.step_in_epoch += 1;
        self.counters.epoch_loss_sum += values.total;
        self.guard.record_loss(values.total)?;
        let memory = self.guard.check();
        Ok(StepReport {
            step,
            lr: self.optimizer.lr(),
            loss: values.total,
            terms: values.terms,
            grad_norm,
            images: batch.len(),
            live_bytes: memory.live_bytes,
            peak_bytes: memory.peak_bytes,
            warnings: memory.warnings,
            phases,
        })
    }

    /// Adds the gradients of the batch to the parameters, and returns the loss.
    fn differentiate(
        &self,
        batch: &Batch,
        clock: &mut Lap,
        phases: &mut StepPhases,
    ) -> Result<LossValues, TrainError> {
        let targets = batch.targets(self.device);
        let outputs = self.outputs(batch, &targets)?;
        phases.forward = clock.lap();
        let losses = self.criterion.forward(&outputs, &targets)?;
        drop(outputs);
        let values = losses.values();
        check_finite(self.counters.step, &values)?;
        phases.criterion = clock.lap();
        self.backward(&losses.total());
        phases.backward = clock.lap();
        Ok(values)
    }

    /// The forward pass, in the configured precision; what comes after it is exact again.
    fn outputs(&self, batch: &Batch, targets: &Targets) -> Result<TrainOutputs, TrainError> {
        let images = batch.images(self.device);
        let _autocast = self.config.amp.autocast(self.device)?;
        Ok(self.model.forward_train(&images, targets, &mut TorchNoise))
    }

    fn backward(&self, loss: &Tensor) {
        match &self.scaler {
            Some(scaler) => scaler.scale(loss).backward(),
            None => loss.backward(),
        }
    }

    /// Unscales, clips and updates; returns the gradient norm before the clipping.
    fn update_weights(&mut self) -> Result<f64, TrainError> {
        let Some(scaler) = &mut self.scaler else {
            let grad_norm = self.optimizer.clip_grad_norm(self.config.clip_max_norm)?;
            return self.optimizer.step().map(|()| grad_norm);
        };
        scaler.unscale(&self.optimizer)?;
        let grad_norm = self.optimizer.clip_grad_norm(self.config.clip_max_norm)?;
        scaler.step(&mut self.optimizer)?;
        scaler.update();
        Ok(grad_norm)
    }
}

/// Seconds since the last look.
#[no_retain]
struct Lap(Instant);

impl Lap {
    fn start() -> Self {
        Self(Instant::now())
    }

    fn lap(&mut self) -> f64 {
        let now = Instant::now();
        now.duration_since(std::mem::replace(&mut self.0, now)).as_secs_f64()
    }
}

/// SplitMix64 of the pair, so that neighbouring steps have unrelated seeds.
fn step_seed(seed: u64, step: u64) -> i64 {
    let mut z = seed.wrapping_add(step.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (z ^ (z >> 31)) as i64
}

fn check_finite(step: u64, values: &LossValues) -> Result<(), TrainError> {
    if values.is_finite() {
        return Ok(());
    }
    let bad = values.terms.iter().filter(|(_, v)| !v.is_finite()).map(|(name, v)| format!("{name} = {v}"));
    Err(TrainError::NonFiniteLoss { loss: values.total, step, terms: bad.collect::<Vec<_>>().join(", ") })
}
