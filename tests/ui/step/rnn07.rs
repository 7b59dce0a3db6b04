// RNN07: a state assigned by destructuring.
use guard_core::no_retain;
use guard_tests::harness::{Net, data, h0};
use tch::{Tensor, nn, nn::Module};

fn cell(net: &Net, x: &Tensor, h: &Tensor) -> (Tensor, Tensor) {
    let h = net.cell(x, h);
    (net.l2.forward(&h), h)
}

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let (mut y, mut h) = (h0(), h0());
    for (x, _) in data() {
        (y, h) = cell(net, &x, &h);
    }
}

fn main() {}
