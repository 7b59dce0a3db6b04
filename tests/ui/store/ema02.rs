// EMA02: a target network moved in place with grad on.
use guard_core::no_retain;
use guard_tests::harness::{H, Net, data};
use tch::{Device, nn};

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut tvs = nn::VarStore::new(Device::Cpu);
    let _t = nn::linear(tvs.root() / "l1", H, H, Default::default());
    tvs.freeze();
    for (x, y) in data() {
        opt.backward_step(&net.loss(&x, &y));
        for (d, s) in tvs.trainable_variables().iter_mut().zip(net.vs.trainable_variables()) {
            if d.size() == s.size() {
                d.copy_(&(0.005 * s + 0.995 * &*d));
            }
        }
    }
}

fn main() {}
