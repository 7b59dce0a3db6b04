// HID01: a list of an alias of `Tensor`.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Tensor, nn};

type Scalar = Tensor;
struct Log {
    v: Vec<Scalar>,
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut log = Log { v: vec![] };
    for (x, y) in data() {
        let loss: Scalar = net.loss(&x, &y);
        opt.backward_step(&loss);
        log.v.push(loss);
    }
}

fn main() {}
