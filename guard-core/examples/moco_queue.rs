//! MoCo: contrastive learning against a queue of keys from earlier batches.
//!
//! What people leak here is the queue. `queue = cat(queue[b..], keys)` is bounded in data but not in graph: each `cat` is a
//! node on top of the one before, back to the first step, and the momentum encoder's graph hangs on every one. With
//! `#[no_retain]` on the queue the compiler points at the field:
//!
//! ```text
//! error[E0277]: `tch::Tensor` can keep an autograd graph alive after the step
//!   |     keys: Tensor,
//!   |           ^^^^^^ outlives the step
//!   = note: to keep values, keep `Detached::new(&tensor)`: its `.get()` returns a tensor without history
//! ```
//!
//! The form that works: a `Detached<Tensor>` as a ring, written by `update`, and keys that come out of `no_graph`.
//! The momentum encoder is a second `VarStore` moved in place under `no_grad`.

mod record;

use guard_core::{Detached, no_graph, no_retain};
use record::Record;
use tch::nn::{self, Module, OptimizerConfig};
use tch::{Device, Kind, Reduction, Tensor, no_grad};

const CPU: (Kind, Device) = (Kind::Float, Device::Cpu);
const BATCH: i64 = 32;
const SIGNAL: i64 = 4;
const NUISANCE: i64 = 12;
const WIDTH: i64 = 8;
const QUEUE: i64 = 4 * BATCH;
const TEMPERATURE: f64 = 0.2;

/// The keys of the last batches, `[QUEUE, WIDTH]`, as a ring.
#[no_retain]
struct KeyQueue {
    keys: Detached<Tensor>,
    at: i64,
}

impl KeyQueue {
    /// Full of random unit keys.
    fn new() -> Self {
        Self { keys: Detached::from(unit(&Tensor::randn([QUEUE, WIDTH], CPU))), at: 0 }
    }

    /// Overwrites the oldest keys by `keys`, `[BATCH, WIDTH]`.
    fn push(&mut self, keys: &Detached<Tensor>) {
        self.keys.update(|ring| ring.narrow(0, self.at, BATCH).copy_(&keys.get()));
        self.at = (self.at + BATCH) % QUEUE;
    }
}

/// Rows of length one.
fn unit(rows: &Tensor) -> Tensor {
    rows / rows.norm_scalaropt_dim(2.0, [1i64], true)
}

/// Two views of the same signals under different disturbances, each `[BATCH, SIGNAL + NUISANCE]`.
fn views() -> [Tensor; 2] {
    let signal = Tensor::randn([BATCH, SIGNAL], CPU);
    [(); 2].map(|()| Tensor::cat(&[&signal, &(Tensor::randn([BATCH, NUISANCE], CPU) * 1.5)], 1))
}

/// The encoder trained, its slow copy, and their stores.
#[no_retain]
struct Encoders {
    store: nn::VarStore,
    slow_store: nn::VarStore,
    encoder: nn::Linear,
    slow_encoder: nn::Linear,
}

impl Encoders {
    fn new() -> Self {
        let (store, mut slow_store) = (nn::VarStore::new(Device::Cpu), nn::VarStore::new(Device::Cpu));
        let encoder = nn::linear(store.root(), SIGNAL + NUISANCE, WIDTH, Default::default());
        let slow_encoder = nn::linear(slow_store.root(), SIGNAL + NUISANCE, WIDTH, Default::default());
        slow_store.copy(&store).expect("both stores have the same variables");
        Self { store, slow_store, encoder, slow_encoder }
    }

    /// Moves the slow weights a little towards the trained ones.
    fn follow(&self) {
        let (slow, fast) = (self.slow_store.variables(), self.store.variables());
        no_grad(|| slow.into_iter().for_each(|(name, mut w)| drop(w.lerp_(&fast[&name], 0.05))));
    }
}

/// The cross-entropy of finding each query's own key among all of the queue.
fn contrast(queries: &Tensor, keys: &Tensor, queue: &Tensor) -> Tensor {
    let own = (queries * keys).sum_dim_intlist([1i64].as_slice(), true, Kind::Float); // [BATCH, 1]
    let logits = Tensor::cat(&[own, queries.matmul(&queue.tr())], 1) / TEMPERATURE;
    let first = Tensor::zeros([BATCH], (Kind::Int64, Device::Cpu));
    logits.cross_entropy_loss::<Tensor>(&first, None, Reduction::Mean, -100, 0.0)
}

#[no_retain]
fn train_one_epoch(encoders: &Encoders, optimizer: &mut nn::Optimizer, queue: &mut KeyQueue) {
    for _ in 0..40 {
        let [a, b] = views();
        let keys = no_graph(|| unit(&encoders.slow_encoder.forward(&b)));
        let queries = unit(&encoders.encoder.forward(&a));
        optimizer.backward_step(&contrast(&queries, &keys.get(), &queue.keys.get()));
        encoders.follow();
        queue.push(&keys);
    }
}

/// How often the nearest of a batch's other views is the right one.
fn retrieval(encoders: &Encoders) -> f64 {
    let found = no_graph(|| {
        let [a, b] = views().map(|view| unit(&encoders.encoder.forward(&view)));
        let nearest = a.matmul(&b.tr()).argmax(1, false);
        nearest.eq_tensor(&Tensor::arange(BATCH, (Kind::Int64, Device::Cpu))).to_kind(Kind::Float)
    });
    found.get().mean(Kind::Float).double_value(&[])
}

/// Trains for `epochs` epochs.
#[no_retain]
pub fn run(epochs: usize) -> Record {
    let mut record = Record::start("retrieval at rank one");
    let encoders = Encoders::new();
    let mut queue = KeyQueue::new();
    let mut optimizer =
        nn::Adam::default().build(&encoders.store, 2e-2).expect("Adam builds for a store on the CPU");
    record.before(retrieval(&encoders));
    for _ in 0..epochs {
        train_one_epoch(&encoders, &mut optimizer, &mut queue);
        record.epoch(retrieval(&encoders));
    }
    record
}

#[allow(dead_code, reason = "the tests call `run`")]
fn main() {
    println!("{}", run(8));
}
