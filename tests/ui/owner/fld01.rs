// FLD01: the last loss in a field of the trainer.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Tensor, nn};

#[no_retain]
#[derive(Default)]
struct Trainer {
    last: Option<Tensor>,
}
impl Trainer {
    fn step(&mut self, net: &Net, x: &Tensor, y: &Tensor) {
        self.last = Some(net.loss(x, y));
    }
}

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut t = Trainer::default();
    for (x, y) in data() {
        t.step(net, &x, &y);
    }
}

fn main() {}
