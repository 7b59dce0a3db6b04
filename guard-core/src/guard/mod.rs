//! [`TrainMemoryGuard`]: what a training loop may keep, and whether its memory stays flat.

use crate::{Detached, memory};
use guard_macros::no_retain;
use history::LossHistory;
use std::collections::{BTreeMap, VecDeque};
use tch::{Device, Tensor};
use trend::Trends;

pub use history::{LossError, LossValue};
pub use report::{MemoryReport, Warning, Watched};

mod history;
mod report;
mod trend;

/// How a [`TrainMemoryGuard`] watches; every field has a default.
#[no_retain]
#[derive(Clone, Debug, PartialEq)]
pub struct GuardConfig {
    /// Losses kept by `record_loss`; older ones are dropped. 1000 by default.
    pub max_history: usize,
    /// Whether `hold_tensor` moves what it keeps to the CPU. False by default.
    pub offload_to_cpu: bool,
    /// Live tensor bytes above which `check` warns. None by default.
    pub warn_bytes: Option<u64>,
    /// The device whose memory is watched. The CPU by default.
    pub device: Device,
    /// Checks over which growth must last before `check` suspects a leak, at least 8. 32 by default.
    pub window: usize,
}

impl Default for GuardConfig {
    fn default() -> Self {
        Self { max_history: 1000, offload_to_cpu: false, warn_bytes: None, device: Device::Cpu, window: 32 }
    }
}

/// Keeps what a training loop wants to remember in a form that cannot hold a graph, and watches the memory.
///
/// Types see that no graph is stored; the guard sees the rest at run time: exact live tensor bytes, the growth of the
/// C heap that kept autograd nodes cause, and a loss whose graph reaches back over earlier steps. Create it before the
/// first tensor (it calls [`memory::install`]), record each step's loss, and call [`check`](Self::check) after the
/// step, once its graph is dropped.
///
/// ```
/// use guard_core::{GuardConfig, TrainMemoryGuard};
/// use tch::{Device, Kind, Tensor};
///
/// # fn main() -> Result<(), guard_core::LossError> {
/// let mut guard = TrainMemoryGuard::new(GuardConfig { max_history: 100, ..Default::default() });
/// let w = Tensor::ones([8], (Kind::Float, Device::Cpu)).set_requires_grad(true);
/// for _ in 0..3 {
///     let features = &w * 2.0;
///     let loss = features.sum(Kind::Float);
///     loss.backward();
///     guard.record_loss(&loss)?;
///     guard.hold_tensor(&features, "features");
/// }
/// let report = guard.check();
/// println!("{report}");
/// assert_eq!(guard.loss_history(), &[16.0; 3]);
/// assert_eq!(report.held_bytes, 32);
/// # Ok(())
/// # }
/// ```
#[no_retain]
#[derive(Debug)]
pub struct TrainMemoryGuard {
    config: GuardConfig,
    history: LossHistory,
    held: BTreeMap<String, Detached<Tensor>>,
    trends: Trends,
    live_at_check: Option<u64>,
    loss_nodes: u64,
    steps: u64,
}

impl TrainMemoryGuard {
    /// A guard with an empty history; starts counting CPU tensors if nothing has yet.
    pub fn new(config: GuardConfig) -> Self {
        memory::install();
        Self {
            history: LossHistory::new(config.max_history),
            held: BTreeMap::new(),
            trends: Trends::new(config.window),
            live_at_check: None,
            loss_nodes: 0,
            steps: 0,
            config,
        }
    }

    /// Appends the value of `loss` to the history, counts one step, and returns the value.
    ///
    /// Takes a tensor of one element, a number, or a `Detached<Tensor>`; the tensor is read (which waits for its
    /// device) and not kept.
    ///
    /// # Errors
    /// When the tensor has not exactly one element, or libtorch cannot read it.
    ///
    /// ```
    /// # use {guard_core::{GuardConfig, TrainMemoryGuard}, tch::Tensor};
    /// let mut guard = TrainMemoryGuard::new(GuardConfig::default());
    /// assert_eq!(guard.record_loss(&Tensor::from(0.5f32)).unwrap(), 0.5);
    /// let error = guard.record_loss(&Tensor::from_slice(&[0.5f32, 0.25])).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "a loss is one number, this tensor has shape [2]; reduce it first: `loss.mean(Kind::Float)`"
    /// );
    /// ```
    pub fn record_loss(&mut self, loss: impl LossValue) -> Result<f64, LossError> {
        let value = loss.value()?;
        self.loss_nodes = loss.graph_nodes();
        self.steps += 1;
        self.history.push(value);
        Ok(value)
    }

    /// The recorded losses, oldest first, at most `max_history` of them.
    pub fn loss_history(&self) -> &VecDeque<f64> {
        self.history.values()
    }

    /// Keeps a detached copy of `tensor` under `name`, in place of an earlier one of that name.
    ///
    /// The copy has exactly the elements of `tensor`, also where that is a view of something larger, and lies on the
    /// CPU when the guard offloads.
    ///
    /// ```
    /// # use {guard_core::{GuardConfig, TrainMemoryGuard}, tch::{Device, Kind, Tensor}};
    /// let mut guard = TrainMemoryGuard::new(GuardConfig::default());
    /// let features = Tensor::ones([2, 8], (Kind::Float, Device::Cpu)).set_requires_grad(true) * 2.0;
    /// guard.hold_tensor(&features, "features");
    /// assert!(guard.held("features").is_some_and(|kept| !kept.requires_grad()));
    /// assert_eq!(guard.held_names().collect::<Vec<_>>(), ["features"]);
    /// assert_eq!(guard.release("features").map(|kept| kept.size()), Some(vec![2, 8]));
    /// assert!(guard.held("features").is_none());
    /// ```
    pub fn hold_tensor(&mut self, tensor: &Tensor, name: &str) {
        // First let go of the old one, so that the peak holds one copy and not two.
        self.held.remove(name);
        let copy = match self.config.offload_to_cpu && tensor.device() != Device::Cpu {
            true => Detached::from(tensor.detach().to_device(Device::Cpu)),
            false => Detached::new(tensor),
        };
        self.held.insert(name.to_owned(), copy);
    }

    /// A detached handle of the tensor held under `name`.
    pub fn held(&self, name: &str) -> Option<Tensor> {
        self.held.get(name).map(Detached::get)
    }

    /// The names of the tensors held, in order.
    pub fn held_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.held.keys().map(String::as_str)
    }

    /// Gives up the tensor held under `name` and returns it, detached.
    pub fn release(&mut self, name: &str) -> Option<Tensor> {
        self.held.remove(name).map(Detached::into_inner)
    }

    /// Live tensor bytes on the watched device now.
    pub fn live_bytes(&self) -> u64 {
        match self.config.device {
            Device::Cpu => memory::live_bytes(),
            device => memory::device_bytes(device).unwrap_or_default().live,
        }
    }

    /// The highest live bytes on the watched device since the start or [`reset_peak`](Self::reset_peak).
    ///
    /// The counter belongs to the process: guards of one device share it.
    pub fn peak_bytes(&self) -> u64 {
        match self.config.device {
            Device::Cpu => memory::peak_bytes(),
            device => memory::device_bytes(device).unwrap_or_default().peak,
        }
    }

    /// Starts a new peak at the present live bytes.
    pub fn reset_peak(&mut self) {
        match self.config.device {
            Device::Cpu => memory::reset_peak(),
            // False before the device has allocated anything, when its peak is zero anyway.
            device => drop(memory::reset_device_peak(device)),
        }
    }

    /// Measures, compares with the checks before, and reports; call it once a step or once every few.
    ///
    /// Takes about 50 microseconds.
    pub fn check(&mut self) -> MemoryReport {
        let live = self.live_bytes();
        let heap = memory::heap_bytes();
        let step = self.trends.record(self.steps, live, heap.map(beside_tensors), self.loss_nodes);
        let report = MemoryReport {
            step,
            live_bytes: live,
            delta_bytes: signed_difference(live, self.live_at_check.unwrap_or(live)),
            peak_bytes: self.peak_bytes(),
            held_bytes: self.held_bytes(),
            heap_bytes: heap,
            resident_bytes: memory::resident_bytes(),
            loss_nodes: self.loss_nodes,
            warnings: self.warnings(live),
        };
        self.live_at_check = Some(live);
        report
    }

    fn held_bytes(&self) -> u64 {
        self.held.values().filter_map(Detached::storage_bytes).sum()
    }

    fn warnings(&self, live: u64) -> Vec<Warning> {
        let over = self.config.warn_bytes.filter(|limit| live > *limit);
        let over = over.map(|limit| Warning::OverLimit { live, limit });
        over.into_iter().chain(self.trends.growing()).collect()
    }
}

/// Heap bytes that the tensors alive do not explain: around its data each has some 600 bytes of objects (measured).
fn beside_tensors(heap: u64) -> u64 {
    heap.saturating_sub(700 * memory::live_storages())
}

fn signed_difference(now: u64, before: u64) -> i64 {
    i64::try_from(i128::from(now) - i128::from(before)).expect("byte counts fit 63 bits")
}
