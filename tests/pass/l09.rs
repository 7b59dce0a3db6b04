//! L09: a parameter in a layer of one's own.

use guard_core::{Param, no_retain};
use guard_tests::harness::{H, Net, data};
use tch::{Reduction, Tensor, nn, nn::Module};

/// As it was, but for attributes.
#[no_retain]
#[derive(Debug)]
struct Scale {
    #[vouch(reason = "a leaf of the VarStore, never assigned")]
    gamma: Tensor,
    lin: nn::Linear,
}

impl Module for Scale {
    fn forward(&self, x: &Tensor) -> Tensor {
        self.lin.forward(x) * &self.gamma
    }
}

/// The form for new code: nothing to vouch for.
#[no_retain]
#[derive(Debug)]
struct Gain {
    gamma: Param,
    lin: nn::Linear,
}

impl Module for Gain {
    fn forward(&self, x: &Tensor) -> Tensor {
        self.lin.forward(x) * self.gamma.tensor()
    }
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let m = Scale {
        gamma: net.vs.root().ones("gamma", &[H]),
        lin: nn::linear(net.vs.root() / "sc", H, H, Default::default()),
    };
    for (x, y) in data() {
        opt.backward_step(&m.forward(&x).mse_loss(&y, Reduction::Mean));
    }
}

#[no_retain]
pub fn run_with_param(net: &Net, opt: &mut nn::Optimizer) {
    let m = Gain {
        gamma: Param::new(&net.vs.root(), "gamma", &[H], nn::Init::Const(1.0)),
        lin: nn::linear(net.vs.root() / "sc", H, H, Default::default()),
    };
    for (x, y) in data() {
        opt.backward_step(&m.forward(&x).mse_loss(&y, Reduction::Mean));
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
    guard_tests::flat::run(run_with_param);
}
