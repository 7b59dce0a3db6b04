// CLO07: a meter made by another function: `impl FnMut` with a total inside.
use guard_core::no_retain;
use guard_tests::harness::{Net, data, f, zero};
use tch::{Tensor, nn};

fn meter() -> impl FnMut(&Tensor) -> f64 {
    let mut total = zero();
    move |l| {
        total += l;
        f(&total)
    }
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut m = meter();
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        m(&loss);
    }
}

fn main() {}
