//! L14: `Vec<Box<dyn Module>>` and closures as layers.

use guard_core::no_retain;
use guard_tests::harness::{H, Net, data};
use tch::{Reduction, nn, nn::Module};

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let p = net.vs.root() / "seq";
    let blocks: Vec<Box<dyn Module>> =
        (0..3).map(|i| Box::new(nn::linear(&p / i, H, H, Default::default())) as Box<dyn Module>).collect();
    let act = nn::func(|x| x.tanh());
    for (x, y) in data() {
        let h = blocks.iter().fold(x, |h, b| act.forward(&b.forward(&h)));
        opt.backward_step(&h.mse_loss(&y, Reduction::Mean));
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
