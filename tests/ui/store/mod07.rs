// MOD07: a list shared with a logger through `Rc<RefCell<_>>`.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use std::{cell::RefCell, rc::Rc};
use tch::{Tensor, nn};

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let sink: Rc<RefCell<Vec<Tensor>>> = Rc::default();
    let writer = Rc::clone(&sink);
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        writer.borrow_mut().push(loss);
    }
}

fn main() {}
