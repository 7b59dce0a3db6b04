//! Generation with a key-value cache: an attention layer learns to repeat a melody, then plays it on token by token.
//!
//! What people leak here is the cache. It grows by one key and one value per token; filled with grad on, it also holds the
//! graph of every token so far, and parked in the layer (`self.cache`) it survives the call. With `#[no_retain]` on the
//! layer the compiler points at the field:
//!
//! ```text
//! error[E0277]: `RefCell<Vec<tch::Tensor>>` can keep an autograd graph alive after the step
//!   |     cache: RefCell<Vec<Tensor>>,
//!   |            ^^^^^^^^^^^^^^^^^^^^ outlives the step
//!   = note: to keep values, keep `Detached::new(&tensor)`: its `.get()` returns a tensor without history
//! ```
//!
//! The form that works: the cache is a value of one call, `Cache` below, in a function marked `#[no_retain(step)]`, under
//! `no_grad_guard`. A cache that must survive the call, as in a chat, would be a `Detached<Cache>`: hence the derive.

mod record;

use guard_core::{Detach, no_retain};
use record::Record;
use tch::nn::{self, Module, OptimizerConfig};
use tch::{Device, Kind, Tensor, no_grad_guard};

const CPU: (Kind, Device) = (Kind::Float, Device::Cpu);
const TOKENS: i64 = 8;
const PERIOD: i64 = 4;
const LENGTH: i64 = 12;
const WIDTH: i64 = 32;

/// Keys and values of the tokens so far, each `[n, WIDTH]`.
#[derive(Detach)]
struct Cache {
    keys: Tensor,
    values: Tensor,
}

impl Cache {
    fn empty() -> Self {
        Self { keys: Tensor::zeros([0, WIDTH], CPU), values: Tensor::zeros([0, WIDTH], CPU) }
    }

    fn push(&mut self, key: Tensor, value: Tensor) {
        self.keys = Tensor::cat(&[&self.keys, &key], 0);
        self.values = Tensor::cat(&[&self.values, &value], 0);
    }
}

/// One layer of causal attention between an embedding and a linear head.
#[no_retain]
struct Musician {
    tokens: nn::Embedding,
    places: nn::Embedding,
    query: nn::Linear,
    key: nn::Linear,
    value: nn::Linear,
    head: nn::Linear,
}

impl Musician {
    fn new(path: &nn::Path) -> Self {
        let linear = |name: &str, to| nn::linear(path / name, WIDTH, to, Default::default());
        Self {
            tokens: nn::embedding(path / "tokens", TOKENS, WIDTH, Default::default()),
            places: nn::embedding(path / "places", LENGTH, WIDTH, Default::default()),
            query: linear("query", WIDTH),
            key: linear("key", WIDTH),
            value: linear("value", WIDTH),
            head: linear("head", TOKENS),
        }
    }

    /// Tokens `[.., n]` at the places from `first` on to `[.., n, WIDTH]`.
    fn embed(&self, tokens: &Tensor, first: i64) -> Tensor {
        let n = tokens.size().last().copied().expect("tokens are [.., n]");
        let places = Tensor::arange_start(first, first + n, (Kind::Int64, Device::Cpu));
        self.tokens.forward(tokens) + self.places.forward(&places)
    }

    /// Every place at once, `[B, n]` to the logits of the tokens after it, `[B, n, TOKENS]`.
    fn forward(&self, tokens: &Tensor) -> Tensor {
        let x = self.embed(tokens, 0);
        let n = tokens.size()[1];
        let scores =
            self.query.forward(&x).matmul(&self.key.forward(&x).transpose(1, 2)) / (WIDTH as f64).sqrt();
        let future = Tensor::ones([n, n], (Kind::Bool, Device::Cpu)).triu(1);
        let attention = scores.masked_fill(&future, f64::NEG_INFINITY).softmax(-1, Kind::Float);
        self.head.forward(&attention.matmul(&self.value.forward(&x)))
    }

    /// The last place alone, with all before it in `cache`: the token after it, `[1]`.
    fn next(&self, token: &Tensor, place: i64, cache: &mut Cache) -> Tensor {
        let x = self.embed(token, place); // [1, WIDTH]
        cache.push(self.key.forward(&x), self.value.forward(&x));
        let scores = self.query.forward(&x).matmul(&cache.keys.tr()) / (WIDTH as f64).sqrt();
        self.head.forward(&scores.softmax(-1, Kind::Float).matmul(&cache.values)).argmax(-1, false)
    }

    /// Goes on from `start`, `[n]`, to `LENGTH` tokens.
    #[no_retain(step)]
    fn play_on(&self, start: &Tensor) -> Vec<i64> {
        let _no_grad = no_grad_guard();
        let mut cache = Cache::empty();
        let mut played = Vec::<i64>::try_from(start).expect("tokens are [n]");
        for place in 0..LENGTH - 1 {
            let token = Tensor::from_slice(&[played[place as usize]]);
            let next = self.next(&token, place, &mut cache).int64_value(&[0]);
            if played.len() as i64 == place + 1 {
                played.push(next);
            }
        }
        played
    }
}

/// Melodies of `PERIOD` tokens, over and over, `[n, LENGTH]`.
fn melodies(n: i64) -> Tensor {
    Tensor::randint(TOKENS, [n, PERIOD], (Kind::Int64, Device::Cpu)).repeat([1, LENGTH / PERIOD])
}

#[no_retain]
fn train_one_epoch(musician: &Musician, optimizer: &mut nn::Optimizer) {
    for _ in 0..40 {
        let melodies = melodies(64);
        let logits = musician.forward(&melodies.narrow(1, 0, LENGTH - 1));
        // Only the repetition can be known.
        let logits = logits.narrow(1, PERIOD - 1, LENGTH - PERIOD).reshape([-1, TOKENS]);
        let wanted = melodies.narrow(1, PERIOD, LENGTH - PERIOD).reshape([-1]);
        optimizer.backward_step(&logits.cross_entropy_for_logits(&wanted));
    }
}

/// The share of the tokens played on that repeat the melody.
#[no_retain]
fn faithfulness(musician: &Musician) -> f64 {
    let mut right = 0;
    for melody in melodies(20).unbind(0) {
        let played = musician.play_on(&melody.narrow(0, 0, PERIOD));
        let wanted = Vec::<i64>::try_from(&melody).expect("a melody is [LENGTH]");
        right += played.iter().zip(&wanted).skip(PERIOD as usize).filter(|(a, b)| a == b).count();
    }
    right as f64 / (20 * (LENGTH - PERIOD)) as f64
}

/// Trains for `epochs` epochs.
#[no_retain]
pub fn run(epochs: usize) -> Record {
    let mut record = Record::start("tokens repeated rightly");
    let vs = nn::VarStore::new(Device::Cpu);
    let musician = Musician::new(&vs.root());
    let mut optimizer = nn::Adam::default().build(&vs, 1e-2).expect("Adam builds for a store on the CPU");
    record.before(faithfulness(&musician));
    for _ in 0..epochs {
        train_one_epoch(&musician, &mut optimizer);
        record.epoch(faithfulness(&musician));
    }
    record
}

#[allow(dead_code, reason = "the tests call `run`")]
fn main() {
    println!("{}", run(8));
}
