// MOD01: activations tapped in `forward(&self)` through a `RefCell`.
use guard_core::no_retain;
use guard_tests::harness::{H, Net, data};
use std::cell::RefCell;
use tch::{Tensor, nn, nn::Module};

#[no_retain]
#[derive(Debug)]
struct Tap {
    lin: nn::Linear,
    acts: RefCell<Vec<Tensor>>,
}
impl Module for Tap {
    fn forward(&self, x: &Tensor) -> Tensor {
        let h = self.lin.forward(x).tanh();
        self.acts.borrow_mut().push(h.shallow_clone());
        h
    }
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let tap =
        Tap { lin: nn::linear(net.vs.root() / "t", H, H, Default::default()), acts: RefCell::default() };
    for (x, y) in data() {
        opt.backward_step(&net.loss(&tap.forward(&x), &y));
    }
}

fn main() {}
