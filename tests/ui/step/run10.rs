// RUN10: a total lent as `&mut` to a helper that adds to it.
use guard_core::no_retain;
use guard_tests::harness::{Net, data, zero};
use tch::{Tensor, nn};

fn log_loss(acc: &mut Tensor, loss: &Tensor) {
    *acc += loss;
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut acc = zero();
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        log_loss(&mut acc, &loss);
    }
}

fn main() {}
