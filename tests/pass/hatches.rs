//! The escape hatches, each with its reason.

use guard_core::no_retain;
use guard_tests::harness::*;
use tch::{Tensor, nn};

#[no_retain(vouch(rng, reason = "random numbers hold no tensor"))]
fn vouched_closure(net: &Net, rng: &mut impl FnMut() -> f64, opt: &mut nn::Optimizer) {
    for (x, y) in data() {
        let l = net.loss(&(x * rng()), &y);
        opt.backward_step(&l);
    }
}

#[no_retain]
fn allowed_statement(net: &Net, out: &mut Vec<Tensor>) {
    for (x, _) in data() {
        #[allow_retain(reason = "the caller asked for the raw maps")]
        out.push(net.features(&x));
    }
}

#[test]
fn runs() {
    let net = net();
    let mut opt = adam(&net);
    vouched_closure(&net, &mut || 0.5, &mut opt);
    allowed_statement(&net, &mut Vec::new());
}
