//! L60: a fake used by both players of a GAN.

use guard_core::no_retain;
use guard_tests::harness::{Net, adam, data};
use tch::{Kind, nn};

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let gnet = guard_tests::harness::net();
    let mut gopt = adam(&gnet);
    for (x, _) in data() {
        let fake = gnet.forward(&x);
        opt.backward_step(
            &(net.forward(&fake.detach()).mean(Kind::Float) - net.forward(&x).mean(Kind::Float)),
        );
        gopt.backward_step(&-net.forward(&fake).mean(Kind::Float));
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
