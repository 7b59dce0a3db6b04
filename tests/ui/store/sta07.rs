// STA07: memory leaked on purpose: `Box::leak`, `mem::forget`.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Tensor, nn};

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    for (x, _) in data() {
        let h: &'static Tensor = Box::leak(Box::new(net.features(&x)));
        std::mem::forget(net.features(&x));
    }
}

fn main() {}
