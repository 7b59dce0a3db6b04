//! L07: hidden states returned on request.

use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Kind, Tensor, nn};

struct Out {
    last: Tensor,
    all: Option<Vec<Tensor>>,
}
fn enc(net: &Net, x: &Tensor, keep: bool) -> Out {
    let mut all: Option<Vec<Tensor>> = if keep { Some(vec![]) } else { None };
    let mut h = x.shallow_clone();
    for _ in 0..3 {
        h = net.features(&h);
        if let Some(a) = &mut all {
            a.push(h.shallow_clone());
        }
    }
    Out { last: h, all }
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    for (x, _) in data() {
        let o = enc(net, &x, true);
        opt.backward_step(&(o.last + &o.all.unwrap()[0]).mean(Kind::Float));
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
