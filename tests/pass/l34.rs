//! L34: embeddings of a data set, gathered at inference.

use guard_core::{Detached, no_graph, no_retain};
use guard_tests::harness::{N, Net, data};
use tch::{Kind, Tensor, nn};

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut embs: Vec<Detached<Tensor>> = vec![];
    for (x, _) in data() {
        embs.push(no_graph(|| net.features(&x).mean_dim(0, false, Kind::Float)));
    }
    assert_eq!(embs.len(), N);
}

#[test]
fn runs_flat() {
    guard_tests::flat::run_keeping(512, run);
}
