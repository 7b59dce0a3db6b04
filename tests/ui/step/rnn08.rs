// RNN08: the state of a differentiable simulation.
use guard_core::no_retain;
use guard_tests::harness::{Net, data, h0};
use tch::nn;

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut pos = h0();
    for (x, _) in data() {
        let vel = net.features(&x);
        pos = pos + vel * 0.01;
    }
}

fn main() {}
