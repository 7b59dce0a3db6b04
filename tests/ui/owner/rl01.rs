// RL01: a replay buffer of policy outputs.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use std::collections::VecDeque;
use tch::{Tensor, nn};

#[no_retain]
struct Transition {
    obs: Tensor,
    action: Tensor,
    reward: f64,
}
#[derive(Default)]
struct Replay {
    buf: VecDeque<Transition>,
}

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut replay = Replay::default();
    for (x, _) in data() {
        let action = net.forward(&x).tanh();
        replay.buf.push_back(Transition { obs: x, action, reward: 0. });
    }
}

fn main() {}
