//! L10: running statistics of `nn::BatchNorm`.

use guard_core::no_retain;
use guard_tests::harness::{H, Net, data};
use tch::{Reduction, nn, nn::ModuleT};

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let bn = nn::batch_norm1d(net.vs.root() / "bn", H, Default::default());
    for (x, y) in data() {
        opt.backward_step(&bn.forward_t(&net.features(&x), true).mse_loss(&y, Reduction::Mean));
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
