// MOD03: a table of positions computed from a parameter, memoised.
use guard_core::no_retain;
use guard_tests::harness::{B, H, Net, data};
use std::{cell::RefCell, collections::HashMap};
use tch::{Device, Kind, Tensor, nn};

#[no_retain]
struct Rope {
    freqs: Tensor,
    memo: RefCell<HashMap<i64, Tensor>>,
}
impl Rope {
    fn table(&self, n: i64) -> Tensor {
        self.memo
            .borrow_mut()
            .entry(n)
            .or_insert_with(|| Tensor::arange(n, (Kind::Float, Device::Cpu)).outer(&self.freqs).cos())
            .shallow_clone()
    }
}

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let rope = Rope { freqs: net.vs.root().ones("freqs", &[H]), memo: RefCell::default() };
    for (x, _) in data() {
        let _h = net.features(&x) * rope.table(B);
    }
}

fn main() {}
