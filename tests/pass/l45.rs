//! L45: a rollout written into one tensor.

use guard_core::no_retain;
use guard_tests::harness::{B, N, Net, data};
use tch::{Device, Kind, Tensor, nn, no_grad};

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let values = Tensor::zeros([N as i64, B], (Kind::Float, Device::Cpu));
    for (i, (x, _)) in data().enumerate() {
        let v = no_grad(|| net.forward(&x).mean_dim(1, false, Kind::Float));
        no_grad(|| values.get(i as i64).copy_(&v));
        opt.backward_step(
            &(net.forward(&x).mean_dim(1, false, Kind::Float) - values.get(i as i64))
                .square()
                .mean(Kind::Float),
        );
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
