//! L17: a struct of outputs.

use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Kind, Tensor, nn};

struct Losses {
    cls: Tensor,
    reg: Tensor,
}
impl Losses {
    fn total(&self) -> Tensor {
        &self.cls + &self.reg * 2.0
    }
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    for (x, y) in data() {
        let l = Losses { cls: net.loss(&x, &y), reg: net.features(&x).square().mean(Kind::Float) };
        opt.backward_step(&l.total());
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
