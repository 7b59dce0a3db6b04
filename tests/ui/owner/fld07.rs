// FLD07: a newtype around a loss, in a list.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Tensor, nn};

#[no_retain]
struct Loss(Tensor);
#[derive(Default)]
struct Stats {
    train: Vec<Loss>,
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut s = Stats::default();
    for (x, y) in data() {
        let l = Loss(net.loss(&x, &y));
        opt.backward_step(&l.0);
        s.train.push(l);
    }
}

fn main() {}
