//! The layers and stores of tch are trusted to hold leaves; their fields are public and take any tensor.

use guard_core::{Watched, graph_nodes, no_retain};
use guard_tests::{
    flat::alone,
    harness::{Net, data, net},
    notice::noticed,
};
use tch::nn;

#[no_retain]
fn layers(net: &Net) -> Vec<nn::Linear> {
    let mut kept = Vec::new();
    for (x, _) in data().take(10) {
        kept.push(nn::Linear { ws: net.features(&x), bs: None });
    }
    kept
}

#[no_retain]
fn register(net: &Net, store: &nn::VarStore) {
    for (x, _) in data().take(10) {
        let _ = store.root().add("features", net.features(&x), false);
    }
}

#[test]
fn a_computed_weight_keeps_its_graph() {
    let _alone = alone();
    let (net, mut kept) = (net(), Vec::new());
    assert!(layers(&net).iter().all(|layer| graph_nodes(&layer.ws) > 1));
    assert!(noticed(|_| kept.push(layers(&net))).contains(&Watched::TensorBytes));
}

#[test]
fn a_store_takes_what_it_is_given() {
    let _alone = alone();
    let (net, store) = (net(), nn::VarStore::new(tch::Device::Cpu));
    let suspects = noticed(|_| register(&net, &store));
    assert!(store.variables().values().all(|tensor| graph_nodes(tensor) > 1));
    assert!(suspects.contains(&Watched::TensorBytes));
}
