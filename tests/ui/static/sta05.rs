// STA05: a static declared inside a helper function.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use std::{sync::Mutex, sync::OnceLock};
use tch::{Tensor, nn};

#[no_retain]
fn remember(t: Tensor) -> usize {
    static SEEN: OnceLock<Mutex<Vec<Tensor>>> = OnceLock::new();
    let mut g = SEEN.get_or_init(Default::default).lock().unwrap();
    g.push(t);
    g.len()
}

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    for (x, _) in data() {
        remember(net.features(&x));
    }
}

fn main() {}
