//! `Fn` without a bound, `nn::func` and `dyn Module` are trusted: what they captured is not seen.

use std::sync::{Arc, Mutex};

use guard_core::{Watched, graph_nodes, no_retain};
use guard_tests::{
    flat::alone,
    harness::{Net, data, net},
    notice::noticed,
};
use tch::{Tensor, nn, nn::Module};

#[no_retain]
fn tell(net: &Net, observer: &dyn Fn(&Tensor) -> usize) -> usize {
    let mut told = 0;
    for (x, y) in data() {
        told += observer(&net.loss(&x, &y));
    }
    told
}

#[no_retain]
fn activate(net: &Net, activation: &nn::Func) {
    for (x, _) in data() {
        let _ = activation.forward(&net.features(&x));
    }
}

#[no_retain]
fn apply(net: &Net, module: &dyn Module) {
    for (x, _) in data() {
        let _ = module.forward(&net.features(&x));
    }
}

#[derive(Debug, Default)]
struct Cache(Arc<Mutex<Vec<Tensor>>>);

impl Module for Cache {
    fn forward(&self, xs: &Tensor) -> Tensor {
        self.0.lock().expect("no one panics while this lock is held").push(xs.shallow_clone());
        xs.shallow_clone()
    }
}

#[test]
fn trusted_values_keep_graphs() {
    let _alone = alone();
    let (net, cache) = (net(), Cache::default());
    let inner = Cache(Arc::clone(&cache.0));
    let activation = nn::func(move |x| inner.forward(x));
    for suspects in [
        noticed(|_| assert_eq!(tell(&net, &|loss| cache.forward(loss).dim()), 0)),
        noticed(|_| activate(&net, &activation)),
        noticed(|_| apply(&net, &cache)),
    ] {
        assert!(suspects.contains(&Watched::TensorBytes));
    }
    let kept = cache.0.lock().expect("no one panics while this lock is held");
    assert_eq!(kept.len() % 180, 0);
    assert!(kept.iter().all(|tensor| graph_nodes(tensor) > 1));
}
