// EMA01: an average of a weight, built on the weight.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::nn;

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut ema = net.w().detach();
    for (x, y) in data() {
        opt.backward_step(&net.loss(&x, &y));
        ema = ema * 0.999 + net.w() * 0.001;
    }
}

fn main() {}
