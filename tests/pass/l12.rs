//! EMA weights kept as a second VarStore, updated under no_grad.

use guard_core::no_retain;
use guard_tests::harness::{H, Net, data};
use tch::{Device, nn, no_grad};

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut ema = nn::VarStore::new(Device::Cpu);
    let _ = (
        nn::linear(ema.root() / "l1", H, H, Default::default()),
        nn::linear(ema.root() / "l2", H, H, Default::default()),
    );
    ema.copy(&net.vs).unwrap();
    for (x, y) in data() {
        opt.backward_step(&net.loss(&x, &y));
        no_grad(|| {
            for (d, s) in ema.trainable_variables().iter_mut().zip(net.vs.trainable_variables()) {
                d.copy_(&(&*d * 0.99 + s * 0.01))
            }
        });
    }
}

#[test]
fn runs() {
    let net = guard_tests::harness::net();
    run(&net, &mut guard_tests::harness::adam(&net));
}
