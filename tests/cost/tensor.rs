//! A training loop of tensors: two linear layers on random data.

// Both versions link the same crates.
#[cfg(plain)]
use guard_core as _;
#[cfg(not(plain))]
use guard_core::no_retain;
use tch::{
    Device, Kind, Reduction, Tensor,
    nn::{self, Module, OptimizerConfig},
};

/// The network and what is known of its training.
#[cfg_attr(not(plain), no_retain)]
struct Trained {
    first: nn::Linear,
    second: nn::Linear,
    losses: Vec<f64>,
}

#[cfg_attr(not(plain), no_retain(step))]
impl Trained {
    fn loss(&self, x: &Tensor, y: &Tensor) -> Tensor {
        self.second.forward(&self.first.forward(x).tanh()).mse_loss(y, Reduction::Mean)
    }
}

/// Trains for `epochs`; valgrind counts what runs in here, libtorch included.
#[cfg_attr(not(plain), no_retain)]
#[unsafe(no_mangle)]
#[inline(never)]
fn measured(
    net: &mut Trained,
    optimizer: &mut nn::Optimizer,
    data: &[(Tensor, Tensor)],
    epochs: usize,
) -> f64 {
    let mut mean = 0.0;
    for epoch in 0..epochs {
        let mut sum = 0.0;
        for (x, y) in data {
            let loss = net.loss(x, y);
            optimizer.backward_step(&loss);
            let value = loss.double_value(&[]);
            net.losses.push(value);
            sum += value;
        }
        mean = sum / (data.len() * (epoch + 1)) as f64;
    }
    mean
}

fn main() {
    tch::manual_seed(1);
    let store = nn::VarStore::new(Device::Cpu);
    let root = store.root();
    let first = nn::linear(&root / "first", 16, 16, Default::default());
    let second = nn::linear(&root / "second", 16, 1, Default::default());
    let mut net = Trained { first, second, losses: Vec::new() };
    let mut optimizer = nn::Sgd::default().build(&store, 1e-2).expect("SGD builds for a store on the CPU");
    let batch = |_| {
        let x = Tensor::randn([8, 16], (Kind::Float, Device::Cpu));
        let y = x.sum_dim_intlist([1i64].as_slice(), true, Kind::Float);
        (x, y)
    };
    let data: Vec<(Tensor, Tensor)> = (0..5).map(batch).collect();
    let mean = measured(&mut net, &mut optimizer, &data, 4);
    println!("{mean:.3} {}", net.losses.len());
}
