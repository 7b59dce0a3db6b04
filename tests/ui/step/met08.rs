// MET08: confidences summed as a tensor.
use guard_core::no_retain;
use guard_tests::harness::{B, Net, data, zero};
use tch::{Kind, nn};

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let (mut conf_sum, mut n) = (zero(), 0);
    for (x, _) in data() {
        let p = net.forward(&x).softmax(-1, Kind::Float);
        conf_sum += p.amax(-1, false).sum(Kind::Float);
        n += B;
    }
}

fn main() {}
