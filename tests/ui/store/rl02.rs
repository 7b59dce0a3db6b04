// RL02: log-probabilities of episodes long over.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Kind, Tensor, nn};

#[derive(Default)]
struct Agent {
    log_probs: Vec<Tensor>,
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut a = Agent::default();
    for (i, (x, _)) in data().enumerate() {
        a.log_probs.push(net.forward(&x).log_softmax(-1, Kind::Float).mean(Kind::Float));
        if i % 8 == 7 {
            let loss = -Tensor::stack(&a.log_probs[i - 7..], 0).sum(Kind::Float);
            opt.backward_step(&loss);
        }
    }
}

fn main() {}
