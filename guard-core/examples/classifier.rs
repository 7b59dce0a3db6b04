//! A classifier: two rings of points, told apart by a small network.
//!
//! What people leak here is the loss. `history.push(loss)` for a plot, or `total += loss` for the mean of an epoch,
//! keeps the graph of every step; the features of the worst batch, kept for a look later, keep every activation too.
//! With `#[no_retain]` on the loop the compiler points at `loss`:
//!
//! ```text
//! error[E0277]: `Vec<tch::Tensor>` can keep an autograd graph alive after the step
//!   |         report.losses.push(loss);
//!   |                            ^^^^ outlives the step
//!   = note: to log a number, keep `loss.double_value(&[])`
//! ```
//!
//! The form that works is the one written below: a number where a number is wanted, `Detached` where values are.

mod record;

use guard_core::{Detached, no_graph, no_retain};
use record::Record;
use tch::nn::{self, Module, OptimizerConfig};
use tch::{Device, Kind, Tensor};

const BATCH: i64 = 64;

/// What an epoch leaves behind. A `Tensor` in place of either type is refused where it stands.
#[no_retain]
#[derive(Default)]
struct Report {
    losses: Vec<f64>,
    worst: Option<(f64, Detached<Tensor>)>,
}

impl Report {
    /// Remembers the points of the batch with the highest loss, `[BATCH, 2]`.
    fn note(&mut self, loss: f64, points: &Tensor) {
        self.losses.push(loss);
        if self.worst.as_ref().is_none_or(|(highest, _)| loss > *highest) {
            self.worst = Some((loss, Detached::new(points)));
        }
    }
}

/// Points on two rings, `[BATCH, 2]`, and the ring of each, `[BATCH]`.
fn rings() -> (Tensor, Tensor) {
    let labels = Tensor::randint(2, [BATCH], (Kind::Int64, Device::Cpu));
    let angle = Tensor::rand([BATCH], (Kind::Float, Device::Cpu)) * std::f64::consts::TAU;
    let radius = labels.to_kind(Kind::Float) + 1.0 + angle.randn_like() * 0.15;
    (Tensor::stack(&[&radius * angle.cos(), &radius * angle.sin()], 1), labels)
}

fn network(path: &nn::Path) -> nn::Sequential {
    nn::seq()
        .add(nn::linear(path / "hidden", 2, 32, Default::default()))
        .add_fn(|x| x.relu())
        .add(nn::linear(path / "logits", 32, 2, Default::default()))
}

#[no_retain]
fn train_one_epoch(network: &nn::Sequential, optimizer: &mut nn::Optimizer) -> Report {
    let mut report = Report::default();
    for _ in 0..30 {
        let (points, labels) = rings();
        let loss = network.forward(&points).cross_entropy_for_logits(&labels);
        optimizer.backward_step(&loss);
        report.note(loss.double_value(&[]), &points);
    }
    report
}

/// The share of points put on the right ring.
fn accuracy(network: &nn::Sequential) -> f64 {
    let (points, labels) = rings();
    no_graph(|| network.forward(&points).accuracy_for_logits(&labels)).double_value(&[])
}

/// Trains for `epochs` epochs.
#[no_retain]
pub fn run(epochs: usize) -> Record {
    let mut record = Record::start("accuracy");
    let vs = nn::VarStore::new(Device::Cpu);
    let network = network(&vs.root());
    let mut optimizer = nn::Adam::default().build(&vs, 1e-2).expect("Adam builds for a store on the CPU");
    record.before(accuracy(&network));
    for epoch in 0..epochs {
        let report = train_one_epoch(&network, &mut optimizer);
        let (highest, points) = report.worst.expect("an epoch has batches");
        println!("epoch {epoch}: loss {:.3} at first, {highest:.3} at {points:?}", report.losses[0]);
        drop(points);
        record.epoch(accuracy(&network));
    }
    record
}

#[allow(dead_code, reason = "the tests call `run`")]
fn main() {
    println!("{}", run(10));
}
