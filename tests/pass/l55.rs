//! L55: constants for the augmentation, in a struct.

use guard_core::no_retain;
use guard_tests::harness::{H, Net, data};
use tch::{Device, Kind, Tensor, nn};

struct Normalise {
    mean: Tensor,
    std: Tensor,
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let n = Normalise {
        mean: Tensor::zeros([H], (Kind::Float, Device::Cpu)),
        std: Tensor::ones([H], (Kind::Float, Device::Cpu)),
    };
    for (x, y) in data() {
        opt.backward_step(&net.loss(&((x - &n.mean) / &n.std), &y));
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
