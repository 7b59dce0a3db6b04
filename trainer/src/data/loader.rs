//! Batches in a fixed order, made ahead by threads.
//!
//! Worker `w` of `W` makes batches `w`, `w + W`, …, each into its own bounded channel, and the iterator takes
//! from the channels in turn. Hence the order is that of the batches, whatever the timing; a slow consumer
//! holds the workers back; and since every draw is keyed by (seed, epoch, index), the batches do not depend on W.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

use guard_core::no_retain;
use rand::seq::SliceRandom;

use super::seed::{Use, generator};
use super::{Batch, DataError, Dataset, Key, Objects, Planes, Transform};

/// How a loader groups, orders and makes its batches.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoaderConfig {
    /// Images in a batch, at least 1.
    pub batch_size: usize,
    /// Draws a new order each epoch; otherwise the order of the data set.
    pub shuffle: bool,
    /// Leaves out the last batch when it is not full.
    pub drop_last: bool,
    /// Seed of the order and of the transforms.
    pub seed: u64,
    /// Threads that make batches; 0 makes them in the caller's thread.
    pub workers: usize,
    /// Finished batches that may wait, over all workers (at least one a worker).
    pub prefetch: usize,
}

impl Default for LoaderConfig {
    fn default() -> Self {
        Self { batch_size: 8, shuffle: false, drop_last: false, seed: 0, workers: 1, prefetch: 4 }
    }
}

/// Makes the batches of a data set, epoch after epoch.
#[no_retain]
pub struct Loader {
    source: Arc<Source>,
    workers: usize,
    prefetch: usize,
}

/// What the workers share.
#[no_retain]
struct Source {
    dataset: Arc<dyn Dataset>,
    transform: Arc<dyn Transform>,
    batch_size: usize,
    shuffle: bool,
    drop_last: bool,
    seed: u64,
}

impl Loader {
    /// A loader over `dataset`, each sample passing through `transform`.
    ///
    /// # Errors
    /// When `batch_size` is 0, the data set is empty, or `drop_last` would leave no batch.
    pub fn new(
        dataset: Arc<dyn Dataset>,
        transform: Arc<dyn Transform>,
        config: LoaderConfig,
    ) -> Result<Self, DataError> {
        check(&config, dataset.as_ref())?;
        let LoaderConfig { batch_size, shuffle, drop_last, seed, workers, prefetch } = config;
        let source = Source { dataset, transform, batch_size, shuffle, drop_last, seed };
        Ok(Self { source: Arc::new(source), workers, prefetch })
    }

    /// Batches in one epoch.
    pub fn batches_per_epoch(&self) -> usize {
        self.source.batches()
    }

    /// The data set that is read.
    pub fn dataset(&self) -> &dyn Dataset {
        self.source.dataset.as_ref()
    }

    /// The batches of epoch `number`, the same whenever it is asked for.
    ///
    /// # Errors
    /// The iterator gives an error in place of the batch that could not be made and then ends. A thread that
    /// cannot be started is such an error too.
    pub fn epoch(&self, number: u64) -> Epoch {
        self.epoch_from(number, 0)
    }

    /// The batches of epoch `number` from batch `first` on: where an interrupted epoch goes on.
    ///
    /// # Errors
    /// As [`Loader::epoch`].
    pub fn epoch_from(&self, number: u64, first: usize) -> Epoch {
        let plan = Arc::new(Plan::new(Arc::clone(&self.source), number, first));
        let threads = self.workers.min(plan.left());
        let depth = self.prefetch.div_ceil(threads.max(1)).max(1);
        let (workers, fault) = start_workers(&plan, threads, depth);
        Epoch { plan, workers, fault, next: 0 }
    }
}

fn check(config: &LoaderConfig, dataset: &dyn Dataset) -> Result<(), DataError> {
    let setting = |field, found: usize, expected: &str| {
        Err(DataError::Setting { field, found: found.to_string(), expected: expected.into() })
    };
    if config.batch_size == 0 {
        return setting("batch_size", 0, "at least 1");
    }
    if dataset.is_empty() {
        return setting("images in the data set", 0, "at least 1");
    }
    if config.drop_last && config.batch_size > dataset.len() {
        let expected =
            format!("at most the {} images of {}, or no `drop_last`", dataset.len(), dataset.name());
        return setting("batch_size", config.batch_size, &expected);
    }
    Ok(())
}

impl Source {
    fn batches(&self) -> usize {
        let images = self.dataset.len();
        if self.drop_last { images / self.batch_size } else { images.div_ceil(self.batch_size) }
    }

    /// Loads a sample, and those it is put together with, into a batch.
    fn append(&self, index: usize, epoch: u64, batch: &mut Planes) -> Result<Objects, DataError> {
        let key = Key { seed: self.seed, epoch, index: index as u64 };
        let partners = self.transform.partners(key, self.dataset.len());
        let partners =
            partners.into_iter().map(|partner| self.catch(partner, || self.dataset.sample(partner)));
        let partners = partners.collect::<Result<Vec<_>, _>>()?;
        self.catch(index, || Ok(self.transform.append(self.dataset.sample(index)?, partners, key, batch)))
    }

    /// A panic becomes an error that names the image.
    fn catch<T>(&self, index: usize, load: impl FnOnce() -> Result<T, DataError>) -> Result<T, DataError> {
        catch_unwind(AssertUnwindSafe(load)).unwrap_or_else(|payload| {
            let message = panic_message(payload.as_ref());
            Err(DataError::Panicked { item: self.dataset.locate(index), message })
        })
    }
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into())
}

/// The order of one epoch, and whether it is still wanted.
#[no_retain]
struct Plan {
    source: Arc<Source>,
    order: Vec<usize>,
    epoch: u64,
    /// Batches that are left out at the start.
    skipped: usize,
    stopped: AtomicBool,
}

impl Plan {
    fn new(source: Arc<Source>, epoch: u64, skipped: usize) -> Self {
        let mut order: Vec<usize> = (0..source.dataset.len()).collect();
        if source.shuffle {
            order.shuffle(&mut generator(Use::Shuffle, source.seed, epoch, 0));
        }
        let skipped = skipped.min(source.batches());
        Self { source, order, epoch, skipped, stopped: AtomicBool::new(false) }
    }

    /// Batches to make.
    fn left(&self) -> usize {
        self.source.batches() - self.skipped
    }

    /// Batch `number` of those left, or `None` when the epoch was dropped meanwhile.
    fn batch(&self, number: usize) -> Option<Result<Batch, DataError>> {
        let Source { batch_size, seed, transform, .. } = &*self.source;
        let number = self.skipped + number;
        let members = self.order.iter().skip(number * batch_size).take(*batch_size);
        let side = transform.batch_side(Key { seed: *seed, epoch: self.epoch, index: number as u64 });
        let mut planes = Planes::with_capacity(side, members.len());
        let mut objects = Vec::with_capacity(members.len());
        for &index in members {
            if self.stopped.load(Ordering::Relaxed) {
                return None;
            }
            match self.source.append(index, self.epoch, &mut planes) {
                Ok(found) => objects.push(found),
                Err(error) => return Some(Err(error)),
            }
        }
        Some(Ok(Batch::from_planes(planes, objects)))
    }
}

#[no_retain]
struct Worker {
    batches: Receiver<Result<Batch, DataError>>,
    thread: JoinHandle<()>,
}

/// Starts `threads` workers; the second value is the fault that stopped the start, if one did.
fn start_workers(plan: &Arc<Plan>, threads: usize, depth: usize) -> (Vec<Worker>, Option<DataError>) {
    let mut workers = Vec::with_capacity(threads);
    for worker in 0..threads {
        let (sender, batches) = sync_channel(depth);
        let shared = Arc::clone(plan);
        let work = move || make_batches(&shared, worker, threads, &sender);
        match Builder::new().name(format!("loader-{worker}")).spawn(work) {
            Ok(thread) => workers.push(Worker { batches, thread }),
            Err(source) => return (workers, Some(DataError::Spawn { worker, source })),
        }
    }
    (workers, None)
}

/// The life of one worker: every `stride`th batch from `first`, until the end, an error, or nobody listens.
fn make_batches(plan: &Plan, first: usize, stride: usize, sender: &SyncSender<Result<Batch, DataError>>) {
    for number in (first..plan.left()).step_by(stride) {
        let Some(batch) = plan.batch(number) else { return };
        let failed = batch.is_err();
        if sender.send(batch).is_err() || failed {
            return;
        }
    }
}

/// The batches of one epoch in order; dropping it stops and joins the workers.
#[no_retain]
pub struct Epoch {
    plan: Arc<Plan>,
    workers: Vec<Worker>,
    fault: Option<DataError>,
    next: usize,
}

impl Epoch {
    fn produce(&mut self) -> Option<Result<Batch, DataError>> {
        if let Some(fault) = self.fault.take() {
            return Some(Err(fault));
        }
        if self.workers.is_empty() {
            return self.plan.batch(self.next);
        }
        let worker = self.next % self.workers.len();
        // A channel that closes before its batch came: the thread died, and nothing caught why.
        let item = || format!("batch {} in thread loader-{worker}", self.plan.skipped + self.next);
        let died = |_| Err(DataError::Panicked { item: item(), message: "the thread ended".into() });
        Some(self.workers[worker].batches.recv().unwrap_or_else(died))
    }

    fn stop(&mut self) {
        self.next = self.plan.left();
        self.plan.stopped.store(true, Ordering::Relaxed);
        for Worker { batches, thread } in self.workers.drain(..) {
            // A worker that waits for room wakes up when its receiver goes.
            drop(batches);
            // Panics of the data set and the transforms were caught; nothing is left to report.
            let _ = thread.join();
        }
    }
}

impl Iterator for Epoch {
    type Item = Result<Batch, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next == self.plan.left() {
            return None;
        }
        let produced = self.produce();
        match produced {
            Some(Ok(_)) => self.next += 1,
            _ => self.stop(),
        }
        produced
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.plan.left() - self.next;
        // An error ends the epoch early.
        (left.min(1), Some(left))
    }
}

impl Drop for Epoch {
    fn drop(&mut self) {
        self.stop();
    }
}
