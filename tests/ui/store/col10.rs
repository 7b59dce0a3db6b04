// COL10: the list of a step emptied into the list of the run.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Tensor, nn};

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut all: Vec<Tensor> = vec![];
    for (x, _) in data() {
        let mut step_feats = vec![net.features(&x), net.forward(&x)];
        all.append(&mut step_feats);
        all.insert(0, net.features(&x));
    }
}

fn main() {}
