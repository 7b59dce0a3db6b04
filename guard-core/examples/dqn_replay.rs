//! DQN with a replay buffer: a walker learns from shuffled memories which way to go.
//!
//! What people leak here is the buffer. A transition that holds the action values "for later", or the TD error written into
//! the priorities, brings its graph along, and the buffer holds thousands of transitions. With `#[no_retain]` on the
//! transition the compiler points at the field:
//!
//! ```text
//! error[E0277]: `tch::Tensor` can keep an autograd graph alive after the step
//!   |     observation: Tensor,
//!   |                  ^^^^^^ outlives the step
//!   = note: to keep values, keep `Detached::new(&tensor)`: its `.get()` returns a tensor without history
//! ```
//!
//! The form that works: `Detached` in the transition, priorities as numbers. The target network is a second
//! `VarStore`, which the policy trusts: a store holds leaves.

mod record;

use guard_core::{Detached, no_graph, no_retain};
use record::Record;
use std::collections::VecDeque;
use tch::nn::{self, Module, OptimizerConfig};
use tch::{Device, Kind, Tensor, no_grad};

const CPU: (Kind, Device) = (Kind::Float, Device::Cpu);
const CELLS: i64 = 6;
const LONGEST: usize = 15;
const CAPACITY: usize = 200;
const BATCH: i64 = 32;

/// One move, as it was made.
#[no_retain]
struct Transition {
    observation: Detached<Tensor>,
    action: i64,
    reward: f64,
    next: Detached<Tensor>,
    ended: bool,
}

/// The last `CAPACITY` transitions.
#[no_retain]
#[derive(Default)]
struct Replay {
    transitions: VecDeque<Transition>,
}

impl Replay {
    fn push(&mut self, transition: Transition) {
        if self.transitions.len() == CAPACITY {
            self.transitions.pop_front();
        }
        self.transitions.push_back(transition);
    }

    /// Observations `[BATCH, CELLS]`, actions `[BATCH, 1]`, rewards, the observations after, and 1 where the walk went on.
    fn sample(&self) -> [Tensor; 5] {
        let ids = Vec::<i64>::try_from(Tensor::randint(CAPACITY as i64, [BATCH], (Kind::Int64, Device::Cpu)));
        let picked: Vec<_> =
            ids.expect("[BATCH]").into_iter().map(|i| &self.transitions[i as usize]).collect();
        let numbers = |f: fn(&Transition) -> f64| {
            Tensor::from_slice(&picked.iter().map(|t| f(t) as f32).collect::<Vec<_>>())
        };
        let stacked =
            |f: fn(&Transition) -> Tensor| Tensor::stack(&picked.iter().map(|t| f(t)).collect::<Vec<_>>(), 0);
        [
            stacked(|t| t.observation.get()),
            numbers(|t| t.action as f64).to_kind(Kind::Int64).unsqueeze(1),
            numbers(|t| t.reward),
            stacked(|t| t.next.get()),
            numbers(|t| if t.ended { 0.0 } else { 1.0 }),
        ]
    }
}

/// A network, its slow copy, and what trains it.
#[no_retain]
struct Agent {
    online: nn::VarStore,
    target: nn::VarStore,
    q: nn::Linear,
    slow_q: nn::Linear,
    optimizer: nn::Optimizer,
}

impl Agent {
    fn new() -> Self {
        let (online, mut target) = (nn::VarStore::new(Device::Cpu), nn::VarStore::new(Device::Cpu));
        let q = nn::linear(online.root(), CELLS, 2, Default::default());
        let slow_q = nn::linear(target.root(), CELLS, 2, Default::default());
        target.copy(&online).expect("both stores have the same variables");
        let optimizer = nn::Adam::default().build(&online, 1e-2).expect("Adam builds for a store on the CPU");
        Self { online, target, q, slow_q, optimizer }
    }

    /// The better action, or with probability `noise` any.
    fn act(&self, observation: &Tensor, noise: f64) -> i64 {
        if Tensor::rand([1], CPU).double_value(&[0]) < noise {
            return i64::from(Tensor::rand([1], CPU).double_value(&[0]) < 0.5);
        }
        no_graph(|| self.q.forward(observation).argmax(-1, false)).get().int64_value(&[])
    }

    fn learn(&mut self, [observations, actions, rewards, next, going_on]: [Tensor; 5]) {
        let chosen = self.q.forward(&observations).gather(1, &actions, false).squeeze_dim(1);
        let best = no_grad(|| self.slow_q.forward(&next).amax(1, false));
        let wanted = rewards + best * going_on * 0.95;
        self.optimizer.backward_step(&(chosen - wanted).square().mean(Kind::Float));
    }
}

/// The cell, one-hot, `[CELLS]`.
fn observe(cell: i64) -> Tensor {
    Tensor::from(cell).one_hot(CELLS).to_kind(Kind::Float)
}

/// Walks from the first cell to the last, each move at the cost of 1; returns the sum of the rewards.
#[no_retain]
fn walk(agent: &Agent, replay: &mut Replay, noise: f64) -> f64 {
    let mut cell = 0;
    let mut total = 0.0;
    for _ in 0..LONGEST {
        let observation = observe(cell);
        let action = agent.act(&observation, noise);
        cell = (cell + 2 * action - 1).max(0);
        total -= 1.0;
        let (next, ended) = (Detached::from(observe(cell)), cell == CELLS - 1);
        replay.push(Transition { observation: observation.into(), action, reward: -1.0, next, ended });
        if ended {
            break;
        }
    }
    total
}

#[no_retain]
fn train_one_epoch(agent: &mut Agent, replay: &mut Replay) {
    for _ in 0..15 {
        walk(agent, replay, 0.3);
        for _ in 0..4 {
            agent.learn(replay.sample());
        }
    }
    agent.target.copy(&agent.online).expect("both stores have the same variables");
}

/// Trains for `epochs` epochs.
#[no_retain]
pub fn run(epochs: usize) -> Record {
    let mut record = Record::start("return of the best walk the agent knows");
    let (mut agent, mut replay) = (Agent::new(), Replay::default());
    while replay.transitions.len() < CAPACITY {
        walk(&agent, &mut replay, 1.0);
    }
    record.before(walk(&agent, &mut replay, 0.0));
    for _ in 0..epochs {
        train_one_epoch(&mut agent, &mut replay);
        record.epoch(walk(&agent, &mut replay, 0.0));
    }
    record
}

#[allow(dead_code, reason = "the tests call `run`")]
fn main() {
    println!("{}", run(10));
}
