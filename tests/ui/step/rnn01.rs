// RNN01: a hidden state passed on from batch to batch.
use guard_core::no_retain;
use guard_tests::harness::{Net, data, f, h0};
use tch::{Kind, nn};

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut h = h0();
    for (x, _) in data() {
        h = net.cell(&x, &h);
        let p = f(&h.mean(Kind::Float));
    }
}

fn main() {}
