//! L16: moments of a hand-written optimizer.

use guard_core::{Detached, no_retain};
use guard_tests::harness::{Net, data};
use tch::{Tensor, nn, no_grad};

#[no_retain]
struct Sgdm {
    m: Vec<Detached<Tensor>>,
}
impl Sgdm {
    fn step(&mut self, vars: &[Tensor]) {
        for (m, w) in self.m.iter_mut().zip(vars) {
            m.update(|m| *m = &*m * 0.9 + w.grad());
            no_grad(|| {
                let _ = w.shallow_clone().g_sub_(&(m.get() * 1e-4));
            });
        }
    }
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let vars = net.vs.trainable_variables();
    let mut o = Sgdm { m: vars.iter().map(|v| Detached::from(v.zeros_like())).collect() };
    for (x, y) in data() {
        opt.zero_grad();
        net.loss(&x, &y).backward();
        o.step(&vars);
    }
}

/// As it was, but for attributes and one `no_grad`.
#[no_retain]
struct Plain {
    #[vouch(reason = "written under no_grad")]
    m: Vec<Tensor>,
}

impl Plain {
    fn step(&mut self, vars: &[Tensor]) {
        no_grad(|| {
            for (m, w) in self.m.iter_mut().zip(vars) {
                *m = &*m * 0.9 + w.grad();
                let _ = w.shallow_clone().g_sub_(&(&*m * 1e-4));
            }
        })
    }
}

#[no_retain]
pub fn run_vouched(net: &Net, opt: &mut nn::Optimizer) {
    let vars = net.vs.trainable_variables();
    let mut o = Plain { m: no_grad(|| vars.iter().map(|v| v.zeros_like()).collect()) };
    for (x, y) in data() {
        opt.zero_grad();
        net.loss(&x, &y).backward();
        o.step(&vars);
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
    guard_tests::flat::run(run_vouched);
}
