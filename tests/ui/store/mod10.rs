// MOD10: a cache of embeddings behind an `RwLock`.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use std::{collections::HashMap, sync::RwLock};
use tch::{Tensor, nn};

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let cache: RwLock<HashMap<usize, Tensor>> = RwLock::default();
    for (i, (x, _)) in data().enumerate() {
        let e = net.features(&x);
        cache.write().unwrap().insert(i, e);
    }
}

fn main() {}
