// RNN10: the output before, fed into the next batch.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Tensor, nn};

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut prev: Option<Tensor> = None;
    for (x, _) in data() {
        let inp = match &prev {
            Some(p) => &x + p,
            None => x,
        };
        prev = Some(net.forward(&inp));
    }
}

fn main() {}
