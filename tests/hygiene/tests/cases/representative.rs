//! One of each thing that expands, with every lint denied: what the user wrote is clean, and so is what is added.

use shield::{Detached, GraphFree, no_retain};
use std::{
    cell::Cell,
    collections::VecDeque,
    sync::{Mutex, mpsc},
    thread,
};
use torch::{
    Device, Kind, Tensor,
    nn::{self, Module as _, OptimizerConfig as _},
};

/// A generic owner.
#[no_retain(crate = ::shield)]
#[derive(Debug, Default)]
pub struct Window<T: GraphFree> {
    values: VecDeque<T>,
    /// Text beside them.
    #[vouch(reason = "a name")]
    pub name: Option<String>,
}

/// An owner with variants.
#[no_retain(crate = ::shield)]
#[derive(Debug)]
pub enum Best {
    /// No step was made.
    Unknown,
    /// Values of the best step.
    Known {
        /// The features.
        features: Detached<Tensor>,
        /// The loss.
        loss: f64,
    },
}

/// Something that hears of every step.
#[no_retain(crate = ::shield)]
pub trait Observer {
    /// Hears of one step.
    fn observe(&mut self, loss: f64);

    /// Hears of several.
    fn observe_all(&mut self, losses: &[f64]) {
        for loss in losses {
            self.observe(*loss);
        }
    }
}

impl Observer for Window<f64> {
    fn observe(&mut self, loss: f64) {
        self.values.push_back(loss);
    }
}

#[no_retain(crate = ::shield)]
impl Window<f64> {
    /// Learns for some steps.
    pub fn learn(&mut self, net: &nn::Linear, optimizer: &mut nn::Optimizer, x: &Tensor) {
        for _ in 0..2 {
            let loss = net.forward(x).square().mean(Kind::Float);
            optimizer.backward_step(&loss);
            self.values.push_back(loss.double_value(&[]));
        }
    }
}

/// A module with a static and a function in it.
#[no_retain(crate = ::shield)]
pub mod inner {
    use std::cell::Cell;

    thread_local! {
        static STEPS: Cell<usize> = const { Cell::new(0) };
    }

    /// Counts a step.
    pub fn count() -> usize {
        STEPS.with(|steps| {
            steps.set(steps.get() + 1);
            steps.get()
        })
    }
}

/// Captures of every kind.
#[no_retain(crate = ::shield)]
pub fn train(
    net: &nn::Linear,
    optimizer: &mut nn::Optimizer,
    scale: impl Fn(f64) -> f64,
) -> (Best, Vec<f64>) {
    static LAST: Mutex<f64> = Mutex::new(0.0);
    let inputs = [Tensor::ones([2, 3], (Kind::Float, Device::Cpu)).copy()];
    let (mut best, mut history, seen) = (Best::Unknown, Vec::new(), Cell::new(0));
    let (sender, receiver) = mpsc::channel();
    for _epoch in 0..2 {
        for x in &inputs {
            let features = net.forward(x);
            let loss = features.square().mean(Kind::Float);
            optimizer.backward_step(&loss);
            let value = scale(loss.double_value(&[]));
            history.push(value);
            seen.set(seen.get() + 1);
            best = Best::Known { features: Detached::new(&features), loss: value };
            let sender = sender.clone();
            let sent = thread::spawn(move || sender.send(value).is_ok()).join();
            assert!(matches!(sent, Ok(true)));
            if let Ok(mut last) = LAST.lock() {
                *last = value;
            }
        }
    }
    drop(sender);
    history.extend(receiver);
    (best, history)
}

/// Sums and gatherings of an epoch.
#[no_retain(crate = ::shield)]
#[must_use]
pub fn evaluate(net: &nn::Linear, xs: &[Tensor]) -> (Vec<f64>, Option<f64>, f64) {
    let all = xs.iter().map(|x| net.forward(x).sum(Kind::Float).double_value(&[])).collect::<Vec<_>>();
    let sum = all.iter().fold(0.0, |sum, value| sum + value);
    let mut at = 0;
    let first = loop {
        if at == all.len() {
            break None;
        }
        if all[at].is_finite() {
            break Some(all[at]);
        }
        at += 1;
    };
    (all, first, sum)
}

#[test]
fn runs() {
    let vs = nn::VarStore::new(Device::Cpu);
    let net = nn::linear(vs.root(), 3, 4, nn::LinearConfig::default());
    let mut optimizer = nn::Sgd::default().build(&vs, 1e-2).expect("SGD builds for a store on the CPU");
    let mut window = Window::<f64>::default();
    window.learn(&net, &mut optimizer, &Tensor::ones([2, 3], (Kind::Float, Device::Cpu)));
    window.observe_all(&[1.0]);
    let (best, history) = train(&net, &mut optimizer, |value| value);
    assert!(matches!(best, Best::Known { features, loss } if loss >= 0.0 && features.size() == [2, 4]));
    assert_eq!((window.values.len(), history.len(), inner::count()), (3, 4, 1));
    let xs = [Tensor::ones([1, 3], (Kind::Float, Device::Cpu))];
    let (all, first, _sum) = evaluate(&net, &xs);
    assert_eq!((all.into_iter().next(), window.name), (first, None));
}
