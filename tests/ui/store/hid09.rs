// HID09: a list of `Rc<Tensor>`.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use std::rc::Rc;
use tch::{Tensor, nn};

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut kept: Vec<Rc<Tensor>> = vec![];
    for (x, y) in data() {
        let loss = Rc::new(net.loss(&x, &y));
        opt.backward_step(&loss);
        kept.push(Rc::clone(&loss));
    }
}

fn main() {}
