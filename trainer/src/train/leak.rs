//! The leak that the policy forbids, and its cure, on one and the same training loop.

use guard_core::{GuardConfig, TrainMemoryGuard, Vouched, graph_nodes, memory, no_retain};
use tch::{Device, Tensor};

use super::{AdamW, AdamWConfig, TrainError, ema};
use crate::{
    data::{Batch, Loader},
    loss::{Criterion, CriterionConfig},
    model::{RtDetr, RtDetrConfig, TorchNoise},
    report::plots::{LeakPoint, LeakRun},
};

/// A model in training, without the bookkeeping of a run.
#[no_retain]
pub struct LeakExperiment {
    model: RtDetr,
    optimizer: AdamW,
    criterion: Criterion,
    device: Device,
}

/// What a careless loop wants to remember of a step.
struct StepOutputs {
    loss: Tensor,
    /// `[B, D, H/32, W/32]`, the coarsest map of the encoder.
    features: Tensor,
}

impl LeakExperiment {
    /// A freshly seeded model on `device`.
    pub fn new(config: &RtDetrConfig, device: Device) -> Result<Self, TrainError> {
        tch::manual_seed(0);
        let (store, model) = ema::build(config, device)?;
        let optimizer = AdamW::new(&store, AdamWConfig::default())?;
        Ok(Self { model, optimizer, criterion: Criterion::new(CriterionConfig::default()), device })
    }

    /// Keeps the loss and a feature map of every step as they are, with all that hangs on them.
    #[no_retain]
    pub fn keep_graphs(&mut self, batches: &Loader, steps: usize) -> Result<LeakRun, TrainError> {
        let mut losses = Vouched::new(Vec::<Tensor>::new(), "the leak that this experiment measures");
        let mut features = Vouched::new(Vec::<Tensor>::new(), "the leak that this experiment measures");
        let mut points = Vec::new();
        for batch in batches.epoch(0).take(steps) {
            let outputs = self.step(&batch?)?;
            #[allow_retain(reason = "the leak that this experiment measures")]
            losses.push(outputs.loss);
            #[allow_retain(reason = "the leak that this experiment measures")]
            features.push(outputs.features);
            points.push(point(points.len(), graph_nodes(&Tensor::stack(&losses, 0))));
        }
        Ok(LeakRun { name: "losses and features kept\nas they are".to_owned(), points })
    }

    /// Keeps the same as the policy asks: the loss as a number, the latest features as a detached copy.
    #[no_retain]
    pub fn keep_values(&mut self, batches: &Loader, steps: usize) -> Result<LeakRun, TrainError> {
        let mut guard = TrainMemoryGuard::new(GuardConfig { device: self.device, ..GuardConfig::default() });
        let mut points = Vec::new();
        for batch in batches.epoch(0).take(steps) {
            let outputs = self.step(&batch?)?;
            guard.record_loss(&outputs.loss)?;
            guard.hold_tensor(&outputs.features, "features");
            drop(outputs);
            points.push(point(points.len(), 0));
        }
        Ok(LeakRun { name: "losses as numbers,\nfeatures detached".to_owned(), points })
    }

    #[no_retain(step)]
    fn step(&mut self, batch: &Batch) -> Result<StepOutputs, TrainError> {
        let targets = batch.targets(self.device);
        let maps = self.model.encode(&batch.images(self.device), true);
        let outputs = self.model.decode_train(&maps, &targets, &mut TorchNoise);
        let loss = self.criterion.forward(&outputs, &targets)?.total();
        loss.backward();
        self.optimizer.clip_grad_norm(0.1)?;
        self.optimizer.step()?;
        self.optimizer.zero_grad();
        let features = maps.into_iter().next_back().expect("the encoder returns three maps");
        Ok(StepOutputs { loss, features })
    }
}

fn point(steps_before: usize, graph_nodes: usize) -> LeakPoint {
    LeakPoint {
        step: steps_before as u64 + 1,
        live_bytes: memory::live_bytes(),
        graph_nodes: graph_nodes as u64,
        heap_bytes: memory::heap_bytes().unwrap_or(0),
    }
}
