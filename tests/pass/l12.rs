//! L12: averaged weights in a second `VarStore`, under `no_grad`.

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
fn runs_flat() {
    guard_tests::flat::run(run);
}
