//! MAML of second order: initial weights from which a sine curve is learnt in three steps of ten points.
//!
//! What people leak here are the fast weights. Inside one task they must keep their graph, because the outer gradient goes
//! through the inner steps; carried to the next task (`fast = adapted`), they keep the graph of every task before. With
//! `#[no_retain]` on the loop over tasks the compiler points at the variable:
//!
//! ```text
//! error[E0277]: `tch::Tensor` can keep an autograd graph alive after the step
//!   |         fast = adapted(&fast, &task);
//!   |         ^^^^ outlives the step
//!   = note: what one step alone needs is declared inside the loop body, or in a function marked `#[no_retain(step)]`
//! ```
//!
//! The form that works: the weights that stay are `Param`s, the fast ones are born in the outer step, in `adapted`. The
//! inner loop may assign them as it likes: it is part of one step.

mod record;

use guard_core::{Param, no_retain};
use record::Record;
use tch::nn::{self, OptimizerConfig};
use tch::{Device, Kind, Reduction, Tensor};

const CPU: (Kind, Device) = (Kind::Float, Device::Cpu);
const HIDDEN: i64 = 32;
const SHOTS: i64 = 10;
const INNER_STEPS: usize = 3;
const INNER_RATE: f64 = 0.02;

/// A network of one hidden layer whose weights can be exchanged.
#[no_retain]
struct Learner {
    weights: Vec<Param>,
}

impl Learner {
    fn new(path: &nn::Path) -> Self {
        let normal = |stdev| nn::Init::Randn { mean: 0.0, stdev };
        let weights = vec![
            Param::new(path, "hidden_weight", &[1, HIDDEN], normal(1.0)),
            Param::new(path, "hidden_bias", &[HIDDEN], normal(1.0)),
            Param::new(path, "out_weight", &[HIDDEN, 1], normal(0.2)),
            Param::new(path, "out_bias", &[1], nn::Init::Const(0.0)),
        ];
        Self { weights }
    }

    /// Handles for the forward pass.
    fn tensors(&self) -> Vec<Tensor> {
        self.weights.iter().map(Param::tensor).collect()
    }
}

/// `[N, 1]` to `[N, 1]` with the weights given.
fn forward(weights: &[Tensor], x: &Tensor) -> Tensor {
    (x.matmul(&weights[0]) + &weights[1]).tanh().matmul(&weights[2]) + &weights[3]
}

/// A sine of its own height and phase.
#[no_retain]
struct Task {
    height: f64,
    phase: f64,
}

impl Task {
    fn draw() -> Self {
        let draw = Tensor::rand([2], CPU);
        Self { height: 1.0 + 3.0 * draw.double_value(&[0]), phase: 3.0 * draw.double_value(&[1]) }
    }

    /// The error of `weights` on `points` fresh points, a scalar.
    fn loss(&self, weights: &[Tensor], points: i64) -> Tensor {
        let x = Tensor::rand([points, 1], CPU) * 6.0 - 3.0;
        let y = (&x + self.phase).sin() * self.height;
        forward(weights, &x).mse_loss(&y, Reduction::Mean)
    }
}

/// The weights after a few steps on `task`, still tied by their graph to the ones they came from.
#[no_retain(step)]
fn adapted(learner: &Learner, task: &Task, create_graph: bool) -> Vec<Tensor> {
    let mut fast = learner.tensors();
    for _ in 0..INNER_STEPS {
        let loss = task.loss(&fast, SHOTS);
        let gradients = Tensor::run_backward(&[loss], &fast, create_graph, create_graph);
        fast = fast.iter().zip(gradients).map(|(w, g)| w - g * INNER_RATE).collect();
    }
    fast
}

#[no_retain]
fn train_one_epoch(learner: &Learner, optimizer: &mut nn::Optimizer) {
    for _ in 0..40 {
        let losses: Vec<Tensor> = (0..4)
            .map(|_| {
                let task = Task::draw();
                task.loss(&adapted(learner, &task, true), 10)
            })
            .collect();
        optimizer.backward_step(&Tensor::stack(&losses, 0).mean(Kind::Float));
    }
}

/// The mean error on 40 new tasks after adapting to each.
#[no_retain]
fn error(learner: &Learner) -> f64 {
    let mut sum = 0.0;
    for _ in 0..40 {
        let task = Task::draw();
        sum += task.loss(&adapted(learner, &task, false), 50).double_value(&[]);
    }
    sum / 40.0
}

/// Trains for `epochs` epochs.
#[no_retain]
pub fn run(epochs: usize) -> Record {
    let mut record = Record::start("error after three steps on a new task");
    let vs = nn::VarStore::new(Device::Cpu);
    let learner = Learner::new(&vs.root());
    let mut optimizer = nn::Adam::default().build(&vs, 5e-3).expect("Adam builds for a store on the CPU");
    record.before(error(&learner));
    for _ in 0..epochs {
        train_one_epoch(&learner, &mut optimizer);
        record.epoch(error(&learner));
    }
    record
}

#[allow(dead_code, reason = "the tests call `run`")]
fn main() {
    println!("{}", run(8));
}
