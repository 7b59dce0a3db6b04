//! Checkpoints: one safetensors file with the facts of the run in its header.
//!
//! `last` holds what a run needs to go on (`model.`, `ema.` and `optimizer.` sections); `best` holds the averaged
//! weights under the official keys. Both are written beside the old file and renamed, so that none is ever half there.

use std::{collections::HashMap, path::Path};

use guard_core::{Detached, no_retain};
use serde::{Deserialize, Serialize};
use tch::{Tensor, nn};

use super::{TrainError, session::Counters};
use crate::{
    config::TrainConfig,
    weights::{StateDict, WeightsError, tensor_file},
};

/// The facts of a run, kept in the header.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[no_retain]
pub struct CheckpointMeta {
    /// How far the run has come.
    pub counters: Counters,
    /// Updates of the average.
    pub ema_updates: u64,
    /// Class names in the order of the logits.
    pub classes: Vec<String>,
    /// The resolved configuration.
    pub config: TrainConfig,
}

/// Tensors by name and the facts of the run.
#[derive(Debug)]
#[no_retain]
pub struct Checkpoint {
    /// The facts.
    pub meta: CheckpointMeta,
    state: StateDict,
}

const META: &str = "trainer";

/// Before the names of the averaged weights, in a file that holds more than those.
pub const EMA: &str = "ema.";

const REPLACE: &str = "put back a copy of it, or start a new run";

impl Checkpoint {
    /// An empty checkpoint.
    pub fn new(meta: CheckpointMeta) -> Self {
        Self { meta, state: StateDict::default() }
    }

    /// Copies `tensors` in, each name behind `prefix`.
    pub fn put(&mut self, prefix: &str, tensors: impl IntoIterator<Item = (String, Tensor)>) {
        for (name, tensor) in tensors {
            self.state.insert(format!("{prefix}{name}"), Detached::new(&tensor));
        }
    }

    /// The tensor of that name.
    pub fn get(&self, name: &str) -> Option<Tensor> {
        self.state.get(name)
    }

    /// Names of the tensors, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.state.names()
    }

    /// Overwrites every variable of `store` with its entry behind `prefix`.
    ///
    /// # Errors
    /// When an entry is missing or has another shape.
    pub fn load_into(&self, prefix: &str, store: &nn::VarStore) -> Result<(), TrainError> {
        let _no_grad = tch::no_grad_guard();
        let mut variables: Vec<_> = store.variables().into_iter().collect();
        variables.sort_by(|(a, _), (b, _)| a.cmp(b));
        variables
            .iter_mut()
            .try_for_each(|(name, variable)| self.read_into(&format!("{prefix}{name}"), variable))
    }

    /// Overwrites every variable of `store` with the averaged weights, of a released file or of one to go on from.
    ///
    /// # Errors
    /// As [`Self::load_into`].
    pub fn load_averaged_into(&self, store: &nn::VarStore) -> Result<(), TrainError> {
        let sectioned = self.state.has_prefix(EMA);
        self.load_into(if sectioned { EMA } else { "" }, store)
    }

    /// Overwrites `target` with the entry `name`.
    ///
    /// # Errors
    /// When the entry is missing or has another shape.
    pub fn read_into(&self, name: &str, target: &mut Tensor) -> Result<(), TrainError> {
        let (path, name) = (self.state.path().to_owned(), name.to_owned());
        let Some(saved) = self.get(&name) else { return Err(TrainError::MissingTensor { path, name }) };
        let (found, expected) = (saved.size(), target.size());
        if found != expected {
            return Err(TrainError::TensorShape { path, name, found, expected });
        }
        target.copy_(&saved);
        Ok(())
    }

    /// Compares the class names with those of the data.
    ///
    /// # Errors
    /// When they differ.
    pub fn check_classes(&self, expected: &[String]) -> Result<(), TrainError> {
        match self.meta.classes == expected {
            true => Ok(()),
            false => Err(TrainError::Classes {
                path: self.state.path().to_owned(),
                found: self.meta.classes.clone(),
                expected: expected.to_vec(),
            }),
        }
    }

    /// Writes the file; the old one stays whole until the new one is.
    pub fn save(&self, path: &Path) -> Result<(), TrainError> {
        let meta = serde_json::to_string(&self.meta).expect("plain data serialises");
        Ok(tensor_file::write(path, self.state.iter(), HashMap::from([(META.to_owned(), meta)]))?)
    }

    /// Reads a file that [`Self::save`] wrote.
    ///
    /// # Errors
    /// When it cannot be read, is cut short or damaged, or was written by another program.
    pub fn load(path: &Path) -> Result<Self, TrainError> {
        let damaged = |e| match e {
            WeightsError::Read { cause, .. } => broken(path, &cause.to_string()),
            WeightsError::Damaged { problem, .. } => {
                broken(path, &format!("not a whole safetensors file ({problem}); {REPLACE}"))
            }
            other => other.into(),
        };
        let (state, header) = tensor_file::read(path).map_err(damaged)?;
        let meta = header_meta(&header).map_err(|problem| broken(path, &format!("{problem}; {REPLACE}")))?;
        let meta = meta.ok_or_else(|| {
            broken(path, &format!("a safetensors file, but not written by this trainer; {REPLACE}"))
        })?;
        Ok(Self { meta, state })
    }
}

/// The variables of a store by name.
pub fn variables(store: &nn::VarStore) -> impl Iterator<Item = (String, Tensor)> {
    store.variables().into_iter()
}

fn broken(path: &Path, problem: &str) -> TrainError {
    TrainError::Checkpoint { path: path.to_owned(), problem: problem.to_owned() }
}

/// The facts of the run in the header of a safetensors file; `None` when another program wrote it.
///
/// # Errors
/// What is wrong with them.
pub(crate) fn header_meta(header: &HashMap<String, String>) -> Result<Option<CheckpointMeta>, String> {
    let parse = |meta: &String| serde_json::from_str(meta);
    header.get(META).map(parse).transpose().map_err(|e| format!("its header is of another version ({e})"))
}
