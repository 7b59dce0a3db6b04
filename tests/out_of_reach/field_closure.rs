//! A closure in a field, the result of which is used: whether it keeps its argument is not seen.

use std::sync::{Arc, Mutex};

use guard_core::{Watched, graph_nodes, no_retain};
use guard_tests::{
    flat::alone,
    harness::{Net, data, net},
    notice::noticed,
};
use tch::Tensor;

type Observer = Box<dyn FnMut(&Tensor) -> usize>;

#[no_retain]
struct Tracker {
    #[vouch(reason = "it only counts")]
    observe: Observer,
    seen: usize,
}

#[no_retain]
impl Tracker {
    fn track(&mut self, net: &Net) {
        for (x, y) in data() {
            self.seen += (self.observe)(&net.loss(&x, &y));
        }
    }
}

#[test]
fn a_closure_in_a_field_keeps_graphs() {
    let _alone = alone();
    let (net, kept) = (net(), Arc::new(Mutex::new(Vec::new())));
    let sink = Arc::clone(&kept);
    let observe: Observer = Box::new(move |loss| {
        let mut sink = sink.lock().expect("no one panics while this lock is held");
        sink.push(loss.shallow_clone());
        1
    });
    let mut tracker = Tracker { observe, seen: 0 };
    assert!(noticed(|_| tracker.track(&net)).contains(&Watched::TensorBytes));
    let kept = kept.lock().expect("no one panics while this lock is held");
    assert_eq!(tracker.seen, kept.len());
    assert!(kept.iter().all(|loss| graph_nodes(loss) > 1));
}
