// MET05: a second handle of each loss, by `shallow_clone`.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::nn;

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut seen = vec![];
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        seen.push(loss.shallow_clone());
    }
}

fn main() {}
