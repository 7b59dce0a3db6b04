use guard_core::no_retain;
use guard_tests::harness::{Net, data, f, zero};
use tch::nn;

#[no_retain]
fn train(net: &Net, opt: &mut nn::Optimizer) -> f64 {
    let mut total = zero();
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        total = total + &loss;
    }
    f(&total)
}

fn main() {}
