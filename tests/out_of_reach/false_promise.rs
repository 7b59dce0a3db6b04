//! Promises that are false: a reason, a `Detach` that passes its tensor on, a hand-written `GraphFree`.

use guard_core::{Detach, Detached, GraphFree, ReadOnly, Vouched, Watched, graph_nodes, no_retain};
use guard_tests::{
    flat::alone,
    harness::{Net, data, net},
    notice::noticed,
};
use tch::Tensor;

struct Hoard(Tensor);

impl ReadOnly for Hoard {}
impl GraphFree for Hoard {}

impl Detach for Hoard {
    fn map_tensors(&self, _f: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
        Self(self.0.shallow_clone())
    }
}

/// What three promises let through.
#[no_retain]
#[derive(Default)]
struct Kept {
    vouched: Vec<Vouched<Tensor>>,
    detached: Vec<Detached<Hoard>>,
    marked: Vec<Hoard>,
}

#[no_retain]
fn keep(net: &Net, kept: &mut Kept) {
    for (x, y) in data().take(10) {
        kept.vouched.push(Vouched::new(net.loss(&x, &y), "it is read before the next step"));
        kept.detached.push(Detached::new(&Hoard(net.loss(&x, &y))));
        kept.marked.push(Hoard(net.loss(&x, &y)));
    }
}

#[test]
fn a_false_promise_keeps_a_graph() {
    let _alone = alone();
    let (net, mut kept) = (net(), Kept::default());
    let suspects = noticed(|_| keep(&net, &mut kept));
    assert!(kept.vouched.iter().all(|loss| graph_nodes(loss) > 1));
    assert!(kept.detached.iter().all(|hoard| graph_nodes(&hoard.get().0) > 1));
    assert!(kept.marked.iter().all(|hoard| graph_nodes(&hoard.0) > 1));
    assert!(suspects.contains(&Watched::TensorBytes));
}
