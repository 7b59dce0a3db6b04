// STO03: a view moved to the device it is on already.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Device, nn};

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut keep = vec![];
    for (x, _) in data() {
        keep.push(net.features(&x).detach().select(0, 0).to_device(Device::Cpu));
    }
}

fn main() {}
