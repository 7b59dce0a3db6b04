// CTL06: a total inside an enum, reached by `match`.
use guard_core::no_retain;
use guard_tests::harness::{Net, data, zero};
use tch::{Tensor, nn};

#[no_retain]
enum S {
    Run { acc: Tensor },
    Done,
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut s = S::Run { acc: zero() };
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        match &mut s {
            S::Run { acc } => *acc += &loss,
            S::Done => {}
        }
    }
}

fn main() {}
