use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::nn;

#[no_retain]
fn train(net: &Net, opt: &mut nn::Optimizer) {
    let mut history = Vec::new();
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        history.push(loss);
    }
}

fn main() {}
