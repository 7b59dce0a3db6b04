//! L41: a replay buffer in one preallocated tensor.

use guard_core::{Detached, no_retain};
use guard_tests::harness::{B, H, Net, data};
use tch::{Device, Kind, Tensor, nn, no_grad};

#[no_retain]
struct Replay {
    obs: Detached<Tensor>,
    i: i64,
}
impl Replay {
    fn push(&mut self, o: &Tensor) {
        let i = self.i % 16;
        self.obs.update(|obs| obs.get(i).copy_(o));
        self.i += 1;
    }
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut r = Replay { obs: Detached::from(Tensor::zeros([16, B, H], (Kind::Float, Device::Cpu))), i: 0 };
    for (x, y) in data() {
        r.push(&x);
        opt.backward_step(&net.loss(&r.obs.get().get(0), &y));
    }
}

/// As it was, but for attributes.
#[no_retain]
struct Plain {
    #[vouch(reason = "written under no_grad")]
    obs: Tensor,
    i: i64,
}

#[no_retain]
impl Plain {
    fn push(&mut self, o: &Tensor) {
        no_grad(|| self.obs.get(self.i % 16).copy_(o));
        self.i += 1;
    }
}

#[no_retain]
pub fn run_vouched(net: &Net, opt: &mut nn::Optimizer) {
    let mut r = Plain { obs: Tensor::zeros([16, B, H], (Kind::Float, Device::Cpu)), i: 0 };
    for (x, y) in data() {
        r.push(&x);
        opt.backward_step(&net.loss(&r.obs.get(0), &y));
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
    guard_tests::flat::run(run_vouched);
}
