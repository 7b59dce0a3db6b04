//! A macro that names its store itself: its expansion is not seen by the attribute around it.

use std::cell::RefCell;

use guard_core::{Watched, graph_nodes, no_retain};
use guard_tests::{
    flat::alone,
    harness::{Net, data, net},
    notice::noticed,
};
use tch::Tensor;

thread_local! {
    static KEPT: RefCell<Vec<Tensor>> = const { RefCell::new(Vec::new()) };
}

macro_rules! record {
    ($value:expr) => {
        KEPT.with_borrow_mut(|kept| kept.push($value))
    };
}

#[no_retain]
fn run(net: &Net) {
    for (x, y) in data() {
        record!(net.loss(&x, &y));
    }
}

#[test]
fn a_macro_hides_a_store() {
    let _alone = alone();
    let net = net();
    assert!(noticed(|_| run(&net)).contains(&Watched::TensorBytes));
    KEPT.with_borrow(|kept| assert!(kept.iter().all(|loss| graph_nodes(loss) > 1) && kept.len() >= 60));
}
