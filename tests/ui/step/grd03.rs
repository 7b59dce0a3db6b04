// GRD03: fast weights handed on to the next task.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Reduction, Tensor, nn};

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut fast = net.w().detach().set_requires_grad(true);
    for (x, y) in data() {
        let loss = x.matmul(&fast).mse_loss(&y, Reduction::Mean);
        let g = Tensor::run_backward(&[&loss], &[&fast], true, true);
        fast = &fast - &g[0] * 0.01;
    }
}

fn main() {}
