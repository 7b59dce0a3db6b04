//! L05: a list that grows through the forward pass.

use guard_core::no_retain;
use guard_tests::harness::{B, H, Net, data};
use tch::{Kind, Tensor, nn};

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    for (x, _) in data() {
        let mut all: Vec<Tensor> = vec![x];
        while all.len() < 4 {
            let c = Tensor::cat(&all, 0).mean_dim(0, true, Kind::Float).expand([B, H], false);
            all.push(net.features(&c));
        }
        opt.backward_step(&all.pop().unwrap().mean(Kind::Float));
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
