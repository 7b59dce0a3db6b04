// RL06: a queue of shared transitions for n-step returns.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use std::{collections::VecDeque, rc::Rc};
use tch::{Tensor, nn};

#[no_retain]
struct Tr {
    q: Tensor,
}

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut q: VecDeque<Rc<Tr>> = VecDeque::new();
    for (x, _) in data() {
        q.push_back(Rc::new(Tr { q: net.forward(&x) }));
        if q.len() > 10 {
            q.pop_front();
        }
    }
}

fn main() {}
