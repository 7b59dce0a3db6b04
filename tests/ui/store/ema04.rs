// EMA04: class prototypes moved in place, row by row.
use guard_core::no_retain;
use guard_tests::harness::{H, Net, data};
use tch::{Device, Kind, Tensor, nn};

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let protos = Tensor::zeros([10, H], (Kind::Float, Device::Cpu));
    for (i, (x, _)) in data().enumerate() {
        let c = i as i64 % 10;
        let m = net.features(&x).mean_dim(0, false, Kind::Float);
        protos.get(c).copy_(&(protos.get(c) * 0.9 + m * 0.1));
    }
}

fn main() {}
