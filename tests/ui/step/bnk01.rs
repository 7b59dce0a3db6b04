// BNK01: a queue of keys grown by `cat` and `narrow`.
use guard_core::no_retain;
use guard_tests::harness::{B, H, Net, data};
use tch::{Device, Kind, Tensor, nn};

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let k = 8;
    let mut queue = Tensor::zeros([B * k, H], (Kind::Float, Device::Cpu));
    for (x, _) in data() {
        let keys = net.features(&x);
        queue = Tensor::cat(&[queue.narrow(0, B, B * (k - 1)), keys], 0);
    }
}

fn main() {}
