// MEM03: a reference set once, by `get_or_insert_with`.
use guard_core::no_retain;
use guard_tests::harness::{Net, data, f};
use tch::{Tensor, nn};

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut ref_feat: Option<Tensor> = None;
    for (x, _) in data() {
        let r = ref_feat.get_or_insert_with(|| net.features(&x));
        let d = f(&(net.features(&x) - &*r).norm());
    }
}

fn main() {}
