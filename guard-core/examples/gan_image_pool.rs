//! A GAN with an image pool: the discriminator also sees fakes of earlier steps, which keeps it from chasing the latest.
//!
//! What people leak here is the pool. A fake goes in as the generator made it, and every picture in the pool keeps the
//! whole generator graph of its step alive: fifty graphs where fifty small pictures were meant. CycleGAN ports are
//! known for it. With `#[no_retain]` on the pool the compiler points at the field:
//!
//! ```text
//! error[E0277]: `Vec<tch::Tensor>` can keep an autograd graph alive after the step
//!   |     pictures: Vec<Tensor>,
//!   |               ^^^^^^^^^^^ outlives the step
//!   = note: to keep values, keep `Detached::new(&tensor)`: its `.get()` returns a tensor without history
//! ```
//!
//! The form that works: `Vec<Detached<Tensor>>`. Nothing else of the loop changes. That the fake of *this* step is used
//! twice, cut off for the discriminator and with its graph for the generator, needs no form at all: it is a local.

mod record;

use guard_core::{Detached, no_graph, no_retain};
use record::Record;
use tch::nn::{self, Module, OptimizerConfig};
use tch::{Device, Kind, Tensor};

const CPU: (Kind, Device) = (Kind::Float, Device::Cpu);
const BATCH: i64 = 32;
const NOISE: i64 = 8;
const PIXELS: i64 = 16;
const POOL: usize = 8;

/// Fakes of earlier steps, each `[BATCH, PIXELS]`.
#[no_retain]
#[derive(Default)]
struct ImagePool {
    pictures: Vec<Detached<Tensor>>,
    turn: usize,
}

impl ImagePool {
    /// Puts `fake` in and hands one of an earlier step out; until the pool is full, `fake` itself.
    fn exchange(&mut self, fake: &Tensor) -> Tensor {
        let fake = Detached::new(fake);
        if self.pictures.len() < POOL {
            let now = fake.get();
            self.pictures.push(fake);
            return now;
        }
        self.turn = (self.turn + 1) % POOL;
        std::mem::replace(&mut self.pictures[self.turn], fake).into_inner()
    }
}

/// What the discriminator takes for real: one wave at any brightness, `[BATCH, PIXELS]`.
fn real() -> Tensor {
    let wave = (Tensor::arange(PIXELS, CPU) * (std::f64::consts::TAU / PIXELS as f64)).sin();
    wave * (Tensor::rand([BATCH, 1], CPU) * 0.5 + 0.75)
}

fn two_layers(path: &nn::Path, from: i64, to: i64) -> nn::Sequential {
    nn::seq()
        .add(nn::linear(path / "hidden", from, 32, Default::default()))
        .add_fn(|x| x.leaky_relu())
        .add(nn::linear(path / "out", 32, to, Default::default()))
}

/// A network and what trains it.
#[no_retain]
struct Player {
    network: nn::Sequential,
    optimizer: nn::Optimizer,
}

fn player(vs: &nn::VarStore, from: i64, to: i64) -> Player {
    let network = two_layers(&vs.root(), from, to);
    let optimizer = nn::adam(0.5, 0.999, 0.0).build(vs, 2e-3).expect("Adam builds for a store on the CPU");
    Player { network, optimizer }
}

/// The least-squares loss against `target`, 1 for real and 0 for fake.
fn judged(scores: &Tensor, target: f64) -> Tensor {
    (scores - target).square().mean(Kind::Float)
}

#[no_retain]
fn train_one_epoch(generator: &mut Player, discriminator: &mut Player, pool: &mut ImagePool) {
    for _ in 0..60 {
        let fake = generator.network.forward(&Tensor::randn([BATCH, NOISE], CPU));
        let earlier = pool.exchange(&fake);
        let real_loss = judged(&discriminator.network.forward(&real()), 1.0);
        let fake_loss = judged(&discriminator.network.forward(&earlier), 0.0);
        discriminator.optimizer.backward_step(&(real_loss + fake_loss));
        generator.optimizer.backward_step(&judged(&discriminator.network.forward(&fake), 1.0));
    }
}

/// How far the average fake is from the average real picture.
fn distance(generator: &Player) -> f64 {
    let fakes = no_graph(|| generator.network.forward(&Tensor::randn([256, NOISE], CPU)));
    let mean = |pictures: &Tensor| pictures.mean_dim(0, false, Kind::Float);
    (mean(&fakes.get()) - mean(&real())).norm().double_value(&[])
}

/// Trains for `epochs` epochs.
#[no_retain]
pub fn run(epochs: usize) -> Record {
    let mut record = Record::start("distance from the real pictures");
    let stores = [nn::VarStore::new(Device::Cpu), nn::VarStore::new(Device::Cpu)];
    let mut generator = player(&stores[0], NOISE, PIXELS);
    let mut discriminator = player(&stores[1], PIXELS, 1);
    let mut pool = ImagePool::default();
    record.before(distance(&generator));
    for _ in 0..epochs {
        train_one_epoch(&mut generator, &mut discriminator, &mut pool);
        record.epoch(distance(&generator));
    }
    record
}

#[allow(dead_code, reason = "the tests call `run`")]
fn main() {
    println!("{}", run(20));
}
