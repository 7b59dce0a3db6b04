// CTL03: a helper that trains one step and returns its loss, summed by the caller.
use guard_core::no_retain;
use guard_tests::harness::{Net, data, zero};
use tch::{Tensor, nn};

fn one(net: &Net, opt: &mut nn::Optimizer, x: &Tensor, y: &Tensor) -> Tensor {
    let loss = net.loss(x, y);
    opt.backward_step(&loss);
    loss
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut epoch = zero();
    for (x, y) in data() {
        epoch = epoch + one(net, opt, &x, &y);
    }
}

fn main() {}
