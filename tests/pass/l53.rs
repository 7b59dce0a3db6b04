//! L53: several models, each with its store, in a list.

use guard_core::no_retain;
use guard_tests::harness::{Net, data, f};
use tch::nn;

#[no_retain]
pub fn run(_: &Net, _: &mut nn::Optimizer) {
    let mut folds: Vec<(f64, Net)> = vec![];
    for _ in 0..3 {
        folds.push((0.0, guard_tests::harness::net()));
    }
    for (i, (x, y)) in data().enumerate() {
        let (s, m) = &mut folds[i % 3];
        *s = f(&m.loss(&x, &y));
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
