// RUN11: running statistics of a hand-written batch norm.
use guard_core::no_retain;
use guard_tests::harness::{H, Net, data};
use tch::{Device, Kind, Reduction, Tensor, nn, nn::Module};

#[no_retain]
struct Bn {
    mean: Tensor,
}
impl Bn {
    fn forward(&mut self, h: &Tensor) -> Tensor {
        let m = h.mean_dim(0, false, Kind::Float);
        self.mean = &self.mean * 0.9 + &m * 0.1;
        h - m
    }
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut bn = Bn { mean: Tensor::zeros([H], (Kind::Float, Device::Cpu)) };
    for (x, y) in data() {
        let h = bn.forward(&net.features(&x));
        opt.backward_step(&net.l2.forward(&h).mse_loss(&y, Reduction::Mean));
    }
}

fn main() {}
