//! The learning rate of each step.

use guard_core::no_retain;
use serde::{Deserialize, Serialize};

use crate::config::TrainConfig;

/// What happens after the warm-up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[no_retain]
pub enum Decay {
    /// Stays.
    Constant,
    /// Stays for half of the run, then follows a half cosine down to a hundredth: better after a short run.
    FlatCosine,
    /// Falls by `gamma` at every milestone. Only epochs that end after the warm-up count, as in the official code.
    MultiStep {
        /// Epochs, counted from the end of the warm-up.
        milestones: Vec<u64>,
        /// The factor.
        gamma: f64,
    },
}

/// Linear warm-up by step, then [`Decay`].
#[derive(Debug, Clone, PartialEq)]
#[no_retain]
pub struct Schedule {
    /// Learning rate after the warm-up.
    pub base_lr: f64,
    /// Steps of the warm-up.
    pub warmup_steps: u64,
    /// Steps of the whole run.
    pub total_steps: u64,
    /// Steps of an epoch.
    pub steps_per_epoch: u64,
    /// What happens after the warm-up.
    pub decay: Decay,
}

/// Share of the run at the full rate, and the last rate as a share of the full one.
const FLAT: f64 = 0.5;
const LAST: f64 = 0.01;

impl Schedule {
    /// The schedule of a run of `config.epochs` epochs.
    pub fn new(config: &TrainConfig, steps_per_epoch: u64) -> Self {
        Self {
            base_lr: config.optimizer.lr,
            warmup_steps: config.warmup_steps,
            total_steps: steps_per_epoch * config.epochs,
            steps_per_epoch,
            decay: config.decay.clone(),
        }
    }

    /// The learning rate of step `step`, counted from 0: `base_lr * min(1, (step + 1) / warmup_steps)` at first.
    pub fn lr(&self, step: u64) -> f64 {
        let warmup = ((step + 1) as f64 / self.warmup_steps.max(1) as f64).min(1.0);
        self.base_lr * warmup * self.decayed(step)
    }

    fn decayed(&self, step: u64) -> f64 {
        match &self.decay {
            Decay::Constant => 1.0,
            Decay::FlatCosine => self.flat_cosine(step),
            Decay::MultiStep { milestones, gamma } => {
                let epochs = self.epochs_after_warmup(step);
                let passed = milestones.iter().filter(|&&milestone| milestone <= epochs).count();
                gamma.powi(passed as i32)
            }
        }
    }

    fn flat_cosine(&self, step: u64) -> f64 {
        let progress = step as f64 / self.total_steps.max(1) as f64;
        if progress <= FLAT {
            return 1.0;
        }
        let x = ((progress - FLAT) / (1.0 - FLAT)).min(1.0);
        LAST + (1.0 - LAST) * 0.5 * (1.0 + (std::f64::consts::PI * x).cos())
    }

    /// Finished epochs before `step` at whose end the warm-up was over.
    fn epochs_after_warmup(&self, step: u64) -> u64 {
        let per_epoch = self.steps_per_epoch.max(1);
        let during_warmup = self.warmup_steps.div_ceil(per_epoch).saturating_sub(1);
        (step / per_epoch).saturating_sub(during_warmup)
    }
}
