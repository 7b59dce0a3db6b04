// COL04: the rows of every output added with `extend`.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Tensor, nn};

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut preds: Vec<Tensor> = vec![];
    for (x, _) in data() {
        preds.extend(net.forward(&x).unbind(0));
    }
}

fn main() {}
