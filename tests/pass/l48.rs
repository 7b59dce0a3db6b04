//! L48: an inner loop with fast weights, within one outer step.

use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Reduction, Tensor, nn};

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    for (x, y) in data() {
        let mut fast = net.w().shallow_clone();
        for _ in 0..3 {
            let l = x.matmul(&fast).mse_loss(&y, Reduction::Mean);
            let g = Tensor::run_backward(&[&l], &[&fast], true, true).swap_remove(0);
            fast = &fast - g * 0.01;
        }
        opt.backward_step(&x.matmul(&fast).mse_loss(&y, Reduction::Mean));
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
