//! An LSTM with truncated back-propagation: a long signal in short windows, the state carried from one to the next.
//!
//! What people leak here is the state. `state = new_state` ties every window to the one before: libtorch then stops at the
//! second `backward` ("through the graph a second time"), the usual cure is `keep_graph`, and from there each step
//! costs more memory and time than the last. With `#[no_retain]` on the loop the compiler points at the state:
//!
//! ```text
//! error[E0277]: `LSTMState` can keep an autograd graph alive after the step
//!   |         state = after;
//!   |         ^^^^^ outlives the step
//!   = note: to keep values, keep `Detached::new(&tensor)`: its `.get()` returns a tensor without history
//! ```
//!
//! The form that works: `Detached<nn::LSTMState>`, with `get` before the window and `set` after it. That is the
//! truncation itself, said in types.

mod record;

use guard_core::{Detached, no_graph, no_retain};
use record::Record;
use tch::nn::{self, Module, OptimizerConfig, RNN};
use tch::{Device, Kind, Reduction, Tensor};

const CPU: (Kind, Device) = (Kind::Float, Device::Cpu);
const BATCH: i64 = 8;
const WINDOW: i64 = 10;
const HIDDEN: i64 = 24;
const WINDOWS: i64 = 12;

/// Predicts the next value of a signal.
#[no_retain]
struct Forecaster {
    lstm: nn::LSTM,
    head: nn::Linear,
}

impl Forecaster {
    fn new(path: &nn::Path) -> Self {
        Self {
            lstm: nn::lstm(path / "lstm", 1, HIDDEN, Default::default()),
            head: nn::linear(path / "head", HIDDEN, 1, Default::default()),
        }
    }

    /// The squared error over one window, a scalar, and the state after it.
    fn loss(&self, signal: &Tensor, state: &nn::LSTMState) -> (Tensor, nn::LSTMState) {
        let (hidden, after) = self.lstm.seq_init(&signal.narrow(1, 0, WINDOW), state);
        let next = self.head.forward(&hidden); // [B, W, 1]
        (next.mse_loss(&signal.narrow(1, 1, WINDOW), Reduction::Mean), after)
    }

    fn blank_state(&self) -> Detached<nn::LSTMState> {
        Detached::from(self.lstm.zero_state(BATCH))
    }
}

/// One signal per row, each with its own phase, `[BATCH, WINDOWS * WINDOW + 1, 1]`.
fn signals() -> Tensor {
    let time = Tensor::arange(WINDOWS * WINDOW + 1, CPU) * 0.3;
    let phase = Tensor::rand([BATCH, 1], CPU) * std::f64::consts::TAU;
    ((&time + &phase).sin() * (time * 0.23 + phase).cos()).unsqueeze(-1)
}

/// Window `i` with the value after it, `[BATCH, WINDOW + 1, 1]`.
fn window(signals: &Tensor, i: i64) -> Tensor {
    signals.narrow(1, i * WINDOW, WINDOW + 1)
}

#[no_retain]
fn train_one_epoch(model: &Forecaster, optimizer: &mut nn::Optimizer) {
    let signals = signals();
    let mut state = model.blank_state();
    for i in 0..WINDOWS {
        let (loss, after) = model.loss(&window(&signals, i), &state.get());
        optimizer.backward_step_clip_norm(&loss, 1.0);
        state.set(&after);
    }
}

/// The squared error on signals never trained on.
#[no_retain]
fn error(model: &Forecaster) -> f64 {
    let signals = signals();
    let mut state = model.blank_state();
    let mut sum = 0.0;
    for i in 0..WINDOWS {
        let (loss, after) = no_graph(|| model.loss(&window(&signals, i), &state.get())).into_inner();
        sum += loss.double_value(&[]);
        state.set(&after);
    }
    sum / WINDOWS as f64
}

/// Trains for `epochs` epochs.
#[no_retain]
pub fn run(epochs: usize) -> Record {
    let mut record = Record::start("squared error");
    let vs = nn::VarStore::new(Device::Cpu);
    let model = Forecaster::new(&vs.root());
    let mut optimizer = nn::Adam::default().build(&vs, 1e-2).expect("Adam builds for a store on the CPU");
    record.before(error(&model));
    for _ in 0..epochs {
        train_one_epoch(&model, &mut optimizer);
        record.epoch(error(&model));
    }
    record
}

#[allow(dead_code, reason = "the tests call `run`")]
fn main() {
    println!("{}", run(10));
}
