// HID05: a macro that pushes.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::nn;

macro_rules! record {
    ($h:ident, $v:expr) => {
        $h.push($v)
    };
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut hist = vec![];
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        record!(hist, loss);
    }
}

fn main() {}
