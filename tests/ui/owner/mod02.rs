// MOD02: the last attention map, kept for a look.
use guard_core::no_retain;
use guard_tests::harness::{H, Net, data};
use std::cell::RefCell;
use tch::{Kind, Tensor, nn, nn::Module};

#[no_retain]
#[derive(Debug)]
struct Attn {
    lin: nn::Linear,
    last: RefCell<Option<Tensor>>,
}
impl Module for Attn {
    fn forward(&self, x: &Tensor) -> Tensor {
        let w = self.lin.forward(x).softmax(-1, Kind::Float);
        *self.last.borrow_mut() = Some(w.shallow_clone());
        w * x
    }
}

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let a = Attn { lin: nn::linear(net.vs.root() / "a", H, H, Default::default()), last: RefCell::new(None) };
    for (x, _) in data() {
        let _out = net.forward(&a.forward(&x));
    }
}

fn main() {}
