// FLD05: a state rebuilt with `..state` around a running average.
use guard_core::no_retain;
use guard_tests::harness::{Net, data, zero};
use tch::{Tensor, nn};

#[no_retain]
struct State {
    step: usize,
    avg: Tensor,
    name: String,
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut st = State { step: 0, avg: zero(), name: "run".into() };
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        st = State { step: st.step + 1, avg: &st.avg * 0.9 + loss * 0.1, ..st };
    }
}

fn main() {}
