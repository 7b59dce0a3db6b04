// ACC03: losses kept after a backward pass that keeps its graph.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Tensor, nn};

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut kept = vec![];
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        let _g = Tensor::run_backward(&[&loss], &[&net.w()], true, false);
        kept.push(loss);
    }
}

fn main() {}
