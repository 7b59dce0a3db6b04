//! L49: an unrolled simulation, within one step.

use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Kind, Tensor, nn};

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    for (x, _) in data() {
        let mut s = x;
        let mut traj = vec![];
        for _ in 0..4 {
            s = &s + net.features(&s) * 0.1;
            traj.push(s.shallow_clone());
        }
        opt.backward_step(&Tensor::stack(&traj, 0).mean(Kind::Float));
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
