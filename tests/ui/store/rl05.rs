// RL05: priorities overwritten in place with the errors.
use guard_core::no_retain;
use guard_tests::harness::{B, Net, data};
use tch::{Device, Kind, Tensor, nn};

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut prio = Tensor::zeros([1024], (Kind::Float, Device::Cpu));
    for (x, y) in data() {
        let ids = Tensor::randint(1024, [B], (Kind::Int64, Device::Cpu));
        let td = (net.forward(&x) - y).mean_dim(1, false, Kind::Float).abs();
        opt.backward_step(&td.mean(Kind::Float));
        let _ = prio.index_copy_(0, &ids, &td);
    }
}

fn main() {}
