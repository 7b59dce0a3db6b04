// THR03: a mailbox with the latest output.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use std::{sync::Arc, sync::Mutex};
use tch::{Tensor, nn};

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let latest: Arc<Mutex<Option<Tensor>>> = Arc::default();
    for (x, _) in data() {
        *latest.lock().unwrap() = Some(net.forward(&x));
    }
}

fn main() {}
