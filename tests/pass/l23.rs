//! L23: truncated back-propagation through time.

use guard_core::{Detached, no_retain};
use guard_tests::harness::{Net, data, h0};
use tch::{Reduction, nn};

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut h = Detached::from(h0());
    for (x, y) in data() {
        let mut hh = h.get();
        for _ in 0..3 {
            hh = net.cell(&x, &hh);
        }
        opt.backward_step(&hh.mse_loss(&y, Reduction::Mean));
        h.set(&hh);
    }
}

/// As it was, but for the attribute.
#[no_retain(vouch(h, reason = "detached at the edge of the window"))]
pub fn run_vouched(net: &Net, opt: &mut nn::Optimizer) {
    let mut h = h0();
    for (x, y) in data() {
        let mut hh = h.detach();
        for _ in 0..3 {
            hh = net.cell(&x, &hh);
        }
        opt.backward_step(&hh.mse_loss(&y, Reduction::Mean));
        h = hh.detach();
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
    guard_tests::flat::run(run_vouched);
}
