//! L40: a memo inside a value of one step.

use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use std::cell::OnceCell;
use tch::{Reduction, Tensor, nn};

struct Bernoulli {
    logits: Tensor,
    probs: OnceCell<Tensor>,
}
impl Bernoulli {
    fn probs(&self) -> &Tensor {
        self.probs.get_or_init(|| self.logits.sigmoid())
    }
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    for (x, y) in data() {
        let d = Bernoulli { logits: net.forward(&x), probs: OnceCell::new() };
        opt.backward_step(&d.probs().mse_loss(&y, Reduction::Mean));
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
