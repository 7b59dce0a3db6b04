//! Gradient accumulation: four small batches to one step of the optimizer, and losses read once an epoch.
//!
//! What people leak here is the sum. On a GPU reading a loss waits for the device, so it is added up as a tensor,
//! `total += &loss`, and read later. That tensor takes on the graph of every small batch. Nothing is moved or assigned, the
//! total is only borrowed; with `#[no_retain]` on the loop the compiler points at it all the same:
//!
//! ```text
//! error[E0277]: `tch::Tensor` can keep an autograd graph alive after the step
//!   |             total += &loss;
//!   |             ^^^^^ outlives the step
//!   = note: to keep values, keep `Detached::new(&tensor)`: its `.get()` returns a tensor without history
//! ```
//!
//! The form that works: `total` is a `Detached<Tensor>`. The line `total += &loss` stays as it is, adds the value on the
//! device without waiting for it, and leaves the graph behind.

mod record;

use guard_core::{Detached, Param, no_graph, no_retain};
use record::Record;
use tch::nn::{self, Module, OptimizerConfig};
use tch::{Device, Kind, Reduction, Tensor};

const CPU: (Kind, Device) = (Kind::Float, Device::Cpu);
const SMALL_BATCH: i64 = 16;
const SMALL_BATCHES: usize = 4;
const STEPS: usize = 25;
const INPUTS: i64 = 8;

/// A regression problem: the teacher's weights, `[INPUTS, 1]`.
#[no_retain]
struct Problem {
    truth: Detached<Tensor>,
}

impl Problem {
    /// Inputs `[SMALL_BATCH, INPUTS]` and targets `[SMALL_BATCH, 1]`.
    fn small_batch(&self) -> (Tensor, Tensor) {
        let x = Tensor::randn([SMALL_BATCH, INPUTS], CPU);
        let y = x.matmul(&self.truth.get()).tanh();
        (x, y)
    }
}

/// A linear layer with a gain, to be trained.
#[no_retain]
struct Model {
    linear: nn::Linear,
    gain: Param,
}

impl Model {
    fn forward(&self, x: &Tensor) -> Tensor {
        (self.linear.forward(x) * self.gain.tensor()).tanh()
    }
}

/// What an epoch leaves: the mean loss, read once, and the norm of the gradient before each step.
#[no_retain]
struct Epoch {
    mean_loss: f64,
    norms: Vec<f64>,
}

#[no_retain]
fn train_one_epoch(model: &Model, problem: &Problem, optimizer: &mut nn::Optimizer) -> Epoch {
    let mut total = Detached::from(Tensor::from(0.0f32));
    let mut norms = Vec::with_capacity(STEPS);
    for _ in 0..STEPS {
        for _ in 0..SMALL_BATCHES {
            let (x, y) = problem.small_batch();
            let loss = model.forward(&x).mse_loss(&y, Reduction::Mean);
            (&loss / SMALL_BATCHES as f64).backward();
            total += &loss;
        }
        norms.push(model.linear.ws.grad().norm().double_value(&[]));
        optimizer.step();
        optimizer.zero_grad();
    }
    Epoch { mean_loss: total.double_value(&[]) / (STEPS * SMALL_BATCHES) as f64, norms }
}

/// The squared error on one fresh batch.
fn error(model: &Model, problem: &Problem) -> f64 {
    let (x, y) = problem.small_batch();
    no_graph(|| model.forward(&x).mse_loss(&y, Reduction::Mean)).double_value(&[])
}

/// Trains for `epochs` epochs.
#[no_retain]
pub fn run(epochs: usize) -> Record {
    let mut record = Record::start("squared error");
    let vs = nn::VarStore::new(Device::Cpu);
    let linear = nn::linear(vs.root() / "linear", INPUTS, 1, Default::default());
    let model = Model { linear, gain: Param::new(&vs.root(), "gain", &[1], nn::Init::Const(1.0)) };
    let problem = Problem { truth: Detached::from(Tensor::randn([INPUTS, 1], CPU)) };
    let mut optimizer = nn::Adam::default().build(&vs, 1e-2).expect("Adam builds for a store on the CPU");
    record.before(error(&model, &problem));
    for epoch in 0..epochs {
        let Epoch { mean_loss, norms } = train_one_epoch(&model, &problem, &mut optimizer);
        println!("epoch {epoch}: loss {mean_loss:.3}, gradient {:.3} to {:.3}", norms[0], norms[STEPS - 1]);
        record.epoch(error(&model, &problem));
    }
    record
}

#[allow(dead_code, reason = "the tests call `run`")]
fn main() {
    println!("{}", run(8));
}
