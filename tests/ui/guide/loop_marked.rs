use guard_core::no_retain;
use tch::nn::{self, Module, OptimizerConfig};
use tch::{Device, Kind, Reduction, Tensor};

const FLOATS: (Kind, Device) = (Kind::Float, Device::Cpu);

struct Cell {
    input: nn::Linear,
    memory: nn::Linear,
    gain: Tensor,
}

impl Cell {
    fn new(path: &nn::Path) -> Self {
        Self {
            input: nn::linear(path / "input", 1, 16, Default::default()),
            memory: nn::linear(path / "memory", 16, 16, Default::default()),
            gain: path.ones("gain", &[16]),
        }
    }

    fn forward(&self, x: &Tensor, state: &Tensor) -> Tensor {
        ((self.input.forward(x) + self.memory.forward(state)) * &self.gain).tanh()
    }
}

struct Model {
    cell: Cell,
    head: nn::Linear,
}

struct Log {
    losses: Vec<Tensor>,
    mean: Tensor,
}

#[no_retain]
fn train(model: &Model, optimizer: &mut nn::Optimizer, log: &mut Log) {
    let mut state = Tensor::zeros([8, 16], FLOATS);
    for step in 0..200 {
        let x = (Tensor::arange(8, FLOATS) + step as f64 * 0.3).sin().unsqueeze(1);
        let y = (Tensor::arange(8, FLOATS) + (step + 1) as f64 * 0.3).sin().unsqueeze(1);
        let after = model.cell.forward(&x, &state);
        let loss = model.head.forward(&after).mse_loss(&y, Reduction::Mean);
        optimizer.backward_step(&loss);
        log.mean = &log.mean * 0.9 + &loss * 0.1;
        log.losses.push(loss);
        state = after.detach();
    }
}

fn main() {
    let vs = nn::VarStore::new(Device::Cpu);
    let path = vs.root();
    let head = nn::linear(&path / "head", 16, 1, Default::default());
    let model = Model { cell: Cell::new(&path), head };
    let mut optimizer = nn::Adam::default().build(&vs, 1e-2).unwrap();
    let mut log = Log { losses: Vec::new(), mean: Tensor::from(0.0f32) };
    train(&model, &mut optimizer, &mut log);
    println!("first loss {:.3}, mean {:.3}", log.losses[0].double_value(&[]), log.mean.double_value(&[]));
}
