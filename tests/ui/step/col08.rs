// COL08: a ring of the last eight losses, written by index.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Tensor, nn};

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut ring: [Option<Tensor>; 8] = Default::default();
    for (i, (x, y)) in data().enumerate() {
        ring[i % 8] = Some(net.loss(&x, &y));
    }
}

fn main() {}
