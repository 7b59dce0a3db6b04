// GRD04: momentum fed with gradients that have a graph.
use guard_core::no_retain;
use guard_tests::harness::{H, Net, data};
use tch::{Device, Kind, Tensor, nn};

struct Momentum {
    m: Vec<Tensor>,
}

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut o = Momentum { m: vec![Tensor::zeros([H, H], (Kind::Float, Device::Cpu))] };
    for (x, y) in data() {
        let g = Tensor::run_backward(&[&net.loss(&x, &y)], &[&net.w()], true, true);
        for (m, g) in o.m.iter_mut().zip(&g) {
            *m = &*m * 0.9 + g;
        }
    }
}

fn main() {}
