// GRD01: a penalty with a graph added into a gradient.
use guard_core::no_retain;
use guard_tests::harness::{Net, batch, data};
use tch::{Kind, nn};

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut w = net.w();
    net.loss(&batch(), &batch()).backward();
    for (x, _) in data() {
        let pen = net.features(&x).mean(Kind::Float) * 1e-3;
        let _ = w.grad().g_add_(&pen);
    }
}

fn main() {}
