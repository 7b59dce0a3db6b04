// EVL05: a view taken under `no_grad`, which pins what it is a view of.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{nn, no_grad};

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut keep = vec![];
    for (x, _) in data() {
        let h = net.features(&x);
        keep.push(no_grad(|| h.narrow(0, 0, 1)));
    }
}

fn main() {}
