//! One run in memory: the model, its average, the optimiser and the counters; and how it is saved and resumed.

use guard_core::{GuardConfig, TrainMemoryGuard, no_retain};
use serde::{Deserialize, Serialize};
use tch::{Device, nn};

use super::{
    AdamW, Checkpoint, GradScaler, ModelEma, Schedule, TrainError,
    checkpoint::{CheckpointMeta, EMA, variables},
    ema,
};
use crate::{
    config::TrainConfig,
    loss::Criterion,
    model::RtDetr,
    weights::{LoadReport, StateDict, load_matching},
};

/// Everything that outlives a step.
#[no_retain]
pub struct Session {
    pub(super) config: TrainConfig,
    pub(super) device: Device,
    pub(super) model: RtDetr,
    pub(super) ema: ModelEma,
    pub(super) optimizer: AdamW,
    pub(super) scaler: Option<GradScaler>,
    pub(super) criterion: Criterion,
    pub(super) schedule: Schedule,
    pub(super) guard: TrainMemoryGuard,
    pub(super) counters: Counters,
    store: nn::VarStore,
    classes: Vec<String>,
}

/// How far a run has come.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[no_retain]
pub struct Counters {
    /// Finished epochs.
    pub epoch: u64,
    /// Steps of the unfinished epoch.
    pub step_in_epoch: u64,
    /// Sum of the losses of those steps.
    pub epoch_loss_sum: f64,
    /// Optimiser steps in all.
    pub step: u64,
    /// Best AP so far.
    pub best_ap: Option<f64>,
}

impl Counters {
    /// Mean loss of the unfinished epoch so far.
    pub fn mean_loss(&self) -> f64 {
        self.epoch_loss_sum / self.step_in_epoch.max(1) as f64
    }
}

impl Session {
    /// Builds the model with seeded weights; `steps_per_epoch` sets the length of the schedule.
    ///
    /// # Errors
    /// A configuration of the network or of the optimiser's groups that is inconsistent; half precision without CUDA.
    pub fn new(
        config: TrainConfig,
        classes: Vec<String>,
        steps_per_epoch: u64,
        device: Device,
    ) -> Result<Self, TrainError> {
        config.amp.check(device)?;
        tch::manual_seed(config.seed as i64);
        let (store, model) = ema::build(&config.model, device)?;
        Ok(Self {
            ema: ModelEma::new(&store, &config.model, config.ema)?,
            optimizer: AdamW::new(&store, config.optimizer.clone())?,
            scaler: config.amp.scaler(device),
            criterion: Criterion::new(config.criterion.clone()),
            schedule: Schedule::new(&config, steps_per_epoch),
            guard: TrainMemoryGuard::new(GuardConfig { device, ..GuardConfig::default() }),
            counters: Counters::default(),
            config,
            classes,
            device,
            store,
            model,
        })
    }

    /// How far the run has come.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Epochs of the whole run.
    pub fn epochs(&self) -> u64 {
        self.config.epochs
    }

    /// The averaged model, which is what is evaluated.
    pub fn averaged(&self) -> &RtDetr {
        self.ema.model()
    }

    /// The device of the run.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Number of trained values.
    pub fn num_parameters(&self) -> usize {
        self.optimizer.num_values()
    }

    /// Counts a finished epoch; true when `ap` is the best so far.
    pub fn finish_epoch(&mut self, ap: f64) -> bool {
        self.counters.epoch += 1;
        self.counters.step_in_epoch = 0;
        self.counters.epoch_loss_sum = 0.0;
        let best = self.counters.best_ap.is_none_or(|best| ap > best);
        if best {
            self.counters.best_ap = Some(ap);
        }
        best
    }

    /// What a run needs to go on where it is.
    pub fn checkpoint(&self) -> Checkpoint {
        let mut checkpoint = Checkpoint::new(self.meta());
        checkpoint.put("model.", variables(&self.store));
        checkpoint.put(EMA, variables(self.ema.store()));
        checkpoint.put("optimizer.", self.optimizer.state());
        checkpoint.put("scaler.", self.scaler.iter().flat_map(GradScaler::state));
        checkpoint
    }

    /// The averaged weights under the official keys.
    pub fn release(&self) -> Checkpoint {
        let mut checkpoint = Checkpoint::new(self.meta());
        checkpoint.put("", variables(self.ema.store()));
        checkpoint
    }

    /// Goes on where `checkpoint` was written, to the bit.
    ///
    /// # Errors
    /// When it was written for other classes or another model.
    pub fn resume(&mut self, checkpoint: &Checkpoint) -> Result<(), TrainError> {
        checkpoint.check_classes(&self.classes)?;
        checkpoint.load_into("model.", &self.store)?;
        checkpoint.load_into(EMA, self.ema.store())?;
        self.optimizer.load_state(checkpoint, "optimizer.")?;
        if let Some(scaler) = &mut self.scaler {
            scaler.load_state(checkpoint, "scaler.")?;
        }
        self.ema.set_updates(checkpoint.meta.ema_updates);
        self.counters = checkpoint.meta.counters.clone();
        Ok(())
    }

    /// Starts from weights of another run: loads what fits by name and shape, into the average as well.
    ///
    /// # Errors
    /// When nothing fits.
    pub fn start_from(&mut self, weights: &StateDict) -> Result<LoadReport, TrainError> {
        load_matching(weights, self.ema.store())?;
        Ok(load_matching(weights, &self.store)?)
    }

    fn meta(&self) -> CheckpointMeta {
        CheckpointMeta {
            counters: self.counters.clone(),
            ema_updates: self.ema.updates(),
            classes: self.classes.clone(),
            config: self.config.clone(),
        }
    }
}
