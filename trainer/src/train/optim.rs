//! AdamW over a variable store, in groups of parameters; by default the two of the official r18vd recipe: norms are not
//! decayed.
//!
//! The state is ours rather than libtorch's, so that it can be saved, and the update is the fused kernel.

use guard_core::{Detached, Param, no_retain};
use serde::{Deserialize, Serialize};
use tch::{Kind, Tensor, nn};

use super::{
    Checkpoint, TrainError,
    native::{self, AdamWStep},
    param_groups::{ParamGroup, ParamGroupError, ParamGroups},
};

/// Hyper-parameters of AdamW.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[no_retain]
pub struct AdamWConfig {
    /// Learning rate after the warm-up.
    pub lr: f64,
    /// Decay of the first and second moment.
    pub betas: (f64, f64),
    /// Added to the denominator.
    pub eps: f64,
    /// Decoupled weight decay of what no group says otherwise for.
    pub weight_decay: f64,
    /// Parameters with options of their own; the others form a last group.
    pub groups: Vec<ParamGroup>,
}

impl Default for AdamWConfig {
    fn default() -> Self {
        let groups = vec![ParamGroup::undecayed_norms()];
        Self { lr: 1e-4, betas: (0.9, 0.999), eps: 1e-8, weight_decay: 1e-4, groups }
    }
}

impl AdamWConfig {
    /// Compiles the patterns of the groups.
    ///
    /// # Errors
    /// A pattern that is not a regular expression.
    pub fn check_groups(&self) -> Result<(), ParamGroupError> {
        ParamGroups::new(&self.groups).map(|_| ())
    }

    /// What the members of group `index` have in common; `None` is the last group.
    fn options(&self, index: Option<usize>) -> GroupOptions {
        let group = index.map(|index| &self.groups[index]);
        let lr = group.and_then(|group| group.lr).unwrap_or(self.lr);
        let weight_decay = group.and_then(|group| group.weight_decay).unwrap_or(self.weight_decay);
        GroupOptions { lr_scale: lr / self.lr, weight_decay }
    }
}

/// What the parameters of a group have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
#[no_retain]
pub struct GroupOptions {
    /// Learning rate as a share of the optimiser's.
    pub lr_scale: f64,
    /// Decoupled weight decay.
    pub weight_decay: f64,
}

/// AdamW with decoupled weight decay (Loshchilov and Hutter, 2019).
#[no_retain]
pub struct AdamW {
    config: AdamWConfig,
    lr: f64,
    groups: Vec<Group>,
}

/// Parameters that share their options, with their moments; the lists run in parallel.
#[no_retain]
struct Group {
    options: GroupOptions,
    names: Vec<String>,
    params: Vec<Param>,
    exp_avg: Vec<Detached<Tensor>>,
    exp_avg_sq: Vec<Detached<Tensor>>,
    steps: Vec<Detached<Tensor>>,
}

impl AdamW {
    /// Optimises every trainable variable of `store` in the groups of `config`; a group without members is left out.
    ///
    /// # Errors
    /// Groups that are not regular expressions, or overlap.
    pub fn new(store: &nn::VarStore, config: AdamWConfig) -> Result<Self, ParamGroupError> {
        let wanted = ParamGroups::new(&config.groups)?;
        // The last entry is the group of those that no pattern finds.
        let mut members: Vec<Vec<(String, Param)>> = (0..=config.groups.len()).map(|_| Vec::new()).collect();
        for (name, param) in Param::all(store).into_iter().filter(|(_, p)| p.tensor().requires_grad()) {
            let group = wanted.of(&name)?.unwrap_or(config.groups.len());
            members[group].push((name, param));
        }
        let options = |i: usize| config.options((i < config.groups.len()).then_some(i));
        let indexed = members.into_iter().enumerate().filter(|(_, members)| !members.is_empty());
        let groups = indexed.map(|(i, members)| Group::new(members, options(i))).collect();
        Ok(Self { lr: config.lr, config, groups })
    }

    /// The options of every group and the names of its members.
    pub fn groups(&self) -> impl Iterator<Item = (GroupOptions, &[String])> {
        self.groups.iter().map(|group| (group.options, group.names.as_slice()))
    }

    /// Sets the learning rate of the next steps, that of a group with scale 1.
    pub fn set_lr(&mut self, lr: f64) {
        self.lr = lr;
    }

    /// The learning rate of the next step.
    pub fn lr(&self) -> f64 {
        self.lr
    }

    /// Number of trained values.
    pub fn num_values(&self) -> usize {
        self.params().iter().map(Tensor::numel).sum()
    }

    /// Drops all gradients.
    pub fn zero_grad(&mut self) {
        native::zero_grad(&self.params());
    }

    /// Clips the total gradient norm to `max_norm` (0 does not clip) and returns what it was.
    pub fn clip_grad_norm(&mut self, max_norm: f64) -> Result<f64, TrainError> {
        native::clip_grad_norm(&self.params(), max_norm)
    }

    /// One update with the gradients that are there.
    pub fn step(&mut self) -> Result<(), TrainError> {
        let AdamWConfig { betas, eps, .. } = self.config;
        for group in &mut self.groups {
            let GroupOptions { lr_scale, weight_decay } = group.options;
            group.step(AdamWStep { lr: self.lr * lr_scale, betas, weight_decay, eps })?;
        }
        Ok(())
    }

    /// The moments and step counts by name (`exp_avg.<parameter>` and so on), sharing storage with the optimiser.
    pub fn state(&self) -> Vec<(String, Tensor)> {
        self.groups.iter().flat_map(Group::state).collect()
    }

    /// Overwrites the state with the entries of `checkpoint` behind `prefix`.
    ///
    /// # Errors
    /// When an entry is missing or has another shape.
    pub fn load_state(&mut self, checkpoint: &Checkpoint, prefix: &str) -> Result<(), TrainError> {
        let mut state = self.state();
        state.iter_mut().try_for_each(|(name, own)| checkpoint.read_into(&format!("{prefix}{name}"), own))
    }

    pub(super) fn params(&self) -> Vec<Tensor> {
        self.groups.iter().flat_map(|g| &g.params).map(Param::tensor).collect()
    }
}

impl Group {
    fn new(params: Vec<(String, Param)>, options: GroupOptions) -> Self {
        let (names, params): (Vec<_>, Vec<_>) = params.into_iter().unzip();
        let zeros = |p: &Param| Detached::new(&p.tensor().detach().zeros_like());
        let count = |p: &Param| Detached::new(&Tensor::zeros([], (Kind::Float, p.tensor().device())));
        Self {
            options,
            exp_avg: params.iter().map(zeros).collect(),
            exp_avg_sq: params.iter().map(zeros).collect(),
            steps: params.iter().map(count).collect(),
            names,
            params,
        }
    }

    fn step(&mut self, how: AdamWStep) -> Result<(), TrainError> {
        let params: Vec<_> = self.params.iter().map(Param::tensor).collect();
        native::adamw_step(&params, &read(&self.exp_avg), &read(&self.exp_avg_sq), &read(&self.steps), how)
    }

    fn state(&self) -> Vec<(String, Tensor)> {
        let part = |prefix: &str, list: &[Detached<Tensor>]| -> Vec<(String, Tensor)> {
            self.names.iter().zip(list).map(|(name, t)| (format!("{prefix}.{name}"), t.get())).collect()
        };
        [("exp_avg", &self.exp_avg), ("exp_avg_sq", &self.exp_avg_sq), ("step", &self.steps)]
            .into_iter()
            .flat_map(|(prefix, list)| part(prefix, list))
            .collect()
    }
}

fn read(list: &[Detached<Tensor>]) -> Vec<Tensor> {
    list.iter().map(Detached::get).collect()
}
