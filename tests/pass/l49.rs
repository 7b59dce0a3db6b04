//! Unrolled physics / diffusion training over T steps, one backward.

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
fn runs() {
    let net = guard_tests::harness::net();
    run(&net, &mut guard_tests::harness::adam(&net));
}
