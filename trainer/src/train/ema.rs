//! The moving average of the weights: what is evaluated and released.

use guard_core::{Param, no_retain};
use serde::{Deserialize, Serialize};
use tch::{Device, nn};

use super::{TrainError, native};
use crate::model::{ConfigError, RtDetr, RtDetrConfig};

/// How slowly the average follows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[no_retain]
pub struct EmaConfig {
    /// Share of the old average that stays after many updates; 0 makes the average equal the weights.
    pub decay: f64,
    /// Updates after which `1 - 1/e` of that decay is reached: early weights are soon forgotten.
    pub warmups: f64,
}

impl Default for EmaConfig {
    fn default() -> Self {
        Self { decay: 0.9999, warmups: 2000.0 }
    }
}

impl EmaConfig {
    /// The decay of the n-th update, counted from 1: `decay * (1 - exp(-n / warmups))`, the official curve.
    pub fn decay_of(&self, update: u64) -> f64 {
        self.decay * (1.0 - (-(update as f64) / self.warmups).exp())
    }
}

/// A second model whose float variables follow the trained one (running statistics included).
#[no_retain]
pub struct ModelEma {
    config: EmaConfig,
    store: nn::VarStore,
    model: RtDetr,
    averages: Vec<Param>,
    values: Vec<Param>,
    updates: u64,
}

impl ModelEma {
    /// Starts as a copy of `trained`, the variables of a `network`.
    pub fn new(
        trained: &nn::VarStore,
        network: &RtDetrConfig,
        config: EmaConfig,
    ) -> Result<Self, TrainError> {
        let (mut store, model) = build(network, trained.device())?;
        store.freeze();
        store.copy(trained)?;
        let (averages, values) = (floats(&store), floats(trained));
        Ok(Self { config, store, model, averages, values, updates: 0 })
    }

    /// Takes in the weights after one optimiser step.
    pub fn update(&mut self) -> Result<(), TrainError> {
        self.updates += 1;
        if self.config.decay == 0.0 {
            // The formula would make NaN of the infinite anchors.
            self.averages.iter().zip(&self.values).for_each(|(average, value)| average.set(&value.tensor()));
            return Ok(());
        }
        let tensors = |list: &[Param]| list.iter().map(Param::tensor).collect::<Vec<_>>();
        native::ema_update(
            &tensors(&self.averages),
            &tensors(&self.values),
            self.config.decay_of(self.updates),
        )
    }

    /// The averaged model.
    pub fn model(&self) -> &RtDetr {
        &self.model
    }

    /// The averaged variables.
    pub fn store(&self) -> &nn::VarStore {
        &self.store
    }

    /// Updates so far.
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// Goes on counting from a checkpoint's number of updates.
    pub fn set_updates(&mut self, updates: u64) {
        self.updates = updates;
    }
}

/// A fresh model with its store, on `device`.
pub fn build(config: &RtDetrConfig, device: Device) -> Result<(nn::VarStore, RtDetr), ConfigError> {
    let store = nn::VarStore::new(device);
    let model = RtDetr::new(&store.root(), config)?;
    Ok((store, model))
}

/// Counters such as `num_batches_tracked` are not averaged.
fn floats(store: &nn::VarStore) -> Vec<Param> {
    let all = Param::all(store).into_iter().map(|(_, param)| param);
    all.filter(|param| param.tensor().is_floating_point()).collect()
}
