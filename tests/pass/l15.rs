//! L15: an optimizer beside its `VarStore`.

use guard_core::no_retain;
use guard_tests::harness::{H, Net, data};
use tch::{Device, Reduction, nn, nn::Module, nn::OptimizerConfig};

struct Learner {
    vs: nn::VarStore,
    lin: nn::Linear,
    opt: nn::Optimizer,
}

#[no_retain]
pub fn run(_: &Net, _: &mut nn::Optimizer) {
    let vs = nn::VarStore::new(Device::Cpu);
    let lin = nn::linear(vs.root(), H, H, Default::default());
    let opt2 = nn::AdamW::default().build(&vs, 1e-3).unwrap();
    let mut l = Learner { vs, lin, opt: opt2 };
    for (x, y) in data() {
        l.opt.backward_step(&l.lin.forward(&x).mse_loss(&y, Reduction::Mean));
    }
    assert!(!l.vs.is_empty());
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
