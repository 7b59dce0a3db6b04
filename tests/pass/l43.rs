//! L43: log-probabilities of one episode.

use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Kind, Tensor, nn};

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut it = data();
    loop {
        let mut log_probs: Vec<Tensor> = vec![];
        for (x, _) in it.by_ref().take(6) {
            log_probs.push(net.forward(&x).log_softmax(-1, Kind::Float).mean(Kind::Float));
        }
        if log_probs.is_empty() {
            break;
        }
        opt.backward_step(&-Tensor::stack(&log_probs, 0).sum(Kind::Float));
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run_in_steps_of(6, run);
}
