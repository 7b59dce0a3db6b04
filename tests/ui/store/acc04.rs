// ACC04: norms of gradients taken with `create_graph`.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Tensor, nn};

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut grads = vec![];
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        let g = Tensor::run_backward(&[&loss], &[&net.w()], true, true);
        grads.push(g[0].norm());
    }
}

fn main() {}
