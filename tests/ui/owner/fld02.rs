// FLD02: a sum in a field, replaced by itself plus the loss.
use guard_core::no_retain;
use guard_tests::harness::{Net, data, zero};
use tch::{Tensor, nn};

#[no_retain]
struct Trainer {
    sum: Tensor,
}
impl Trainer {
    fn on_step(&mut self, loss: Tensor) {
        self.sum = &self.sum + loss;
    }
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut t = Trainer { sum: zero() };
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        t.on_step(loss);
    }
}

fn main() {}
