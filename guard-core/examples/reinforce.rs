//! REINFORCE: a walker in a corridor learns to go to the end of it.
//!
//! What people leak here is the list of log-probabilities. It has to keep its graph until the update, so it lives in the
//! agent, and one forgotten `clear()` keeps the graph of every episode ever played. With `#[no_retain]` on the agent the
//! compiler points at the field:
//!
//! ```text
//! error[E0277]: `Vec<tch::Tensor>` can keep an autograd graph alive after the step
//!   |     saved_log_probs: Vec<Tensor>,
//!   |                      ^^^^^^^^^^^ outlives the step
//!   = note: what one step alone needs is declared inside the loop body, or in a function marked `#[no_retain(step)]`
//! ```
//!
//! The form that works: the step of this algorithm is the episode. A function marked `#[no_retain(step)]` plays one
//! and returns the log-probabilities; they die with the update. The baseline that outlives them is a number.

mod record;

use guard_core::no_retain;
use record::Record;
use tch::nn::{self, Module, OptimizerConfig};
use tch::{Device, Kind, Tensor, no_grad};

const CELLS: i64 = 6;
const LONGEST: usize = 20;

/// Where the walker is; the last cell is the end, each move costs one.
#[no_retain]
struct Corridor {
    cell: i64,
}

impl Corridor {
    /// The cell, one-hot, `[CELLS]`.
    fn observe(&self) -> Tensor {
        Tensor::from(self.cell).one_hot(CELLS).to_kind(Kind::Float)
    }

    /// Goes right for 1 and left for 0; true at the end.
    fn walk(&mut self, action: i64) -> bool {
        self.cell = (self.cell + 2 * action - 1).max(0);
        self.cell == CELLS - 1
    }
}

/// What one episode leaves for its update: of one step, so it may hold a graph.
struct Episode {
    log_probs: Vec<Tensor>,
    gain: f64,
}

#[no_retain(step)]
fn play(policy: &nn::Linear) -> Episode {
    let mut corridor = Corridor { cell: 0 };
    let mut log_probs = Vec::new();
    let mut gain = 0.0;
    for _ in 0..LONGEST {
        let log_prob = policy.forward(&corridor.observe()).log_softmax(-1, Kind::Float); // [2]
        let action = log_prob.exp().multinomial(1, false).int64_value(&[0]);
        log_probs.push(log_prob.get(action));
        gain -= 1.0;
        if corridor.walk(action) {
            break;
        }
    }
    Episode { log_probs, gain }
}

#[no_retain]
fn train_one_epoch(policy: &nn::Linear, optimizer: &mut nn::Optimizer, baseline: &mut f64) {
    for _ in 0..40 {
        let episode = play(policy);
        let advantage = episode.gain - *baseline;
        *baseline += 0.05 * advantage;
        let loss = Tensor::stack(&episode.log_probs, 0).sum(Kind::Float) * -advantage;
        optimizer.backward_step(&loss);
    }
}

/// The mean return of 20 episodes.
fn mean_return(policy: &nn::Linear) -> f64 {
    no_grad(|| (0..20).map(|_| play(policy).gain).sum::<f64>() / 20.0)
}

/// Trains for `epochs` epochs.
#[no_retain]
pub fn run(epochs: usize) -> Record {
    let mut record = Record::start("return");
    let vs = nn::VarStore::new(Device::Cpu);
    let policy = nn::linear(vs.root(), CELLS, 2, Default::default());
    let mut optimizer = nn::Adam::default().build(&vs, 2e-2).expect("Adam builds for a store on the CPU");
    let mut baseline = 0.0;
    record.before(mean_return(&policy));
    for _ in 0..epochs {
        train_one_epoch(&policy, &mut optimizer, &mut baseline);
        record.epoch(mean_return(&policy));
    }
    record
}

#[allow(dead_code, reason = "the tests call `run`")]
fn main() {
    println!("{}", run(8));
}
