// CLO08: the losses of an epoch, collected.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::nn;

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let losses: Vec<_> = data()
        .map(|(x, y)| {
            let loss = net.loss(&x, &y);
            opt.backward_step(&loss);
            loss
        })
        .collect();
}

fn main() {}
