// STA02: a `thread_local!` list.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use std::cell::RefCell;
use tch::{Tensor, nn};

thread_local! { static HIST: RefCell<Vec<Tensor>> = RefCell::new(vec![]); }

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        HIST.with_borrow_mut(|h| h.push(loss));
    }
}

fn main() {}
