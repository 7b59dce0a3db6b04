//! L38: a table of constants made on first use.

use guard_core::{Detached, no_retain};
use guard_tests::harness::{H, Net, data};
use std::cell::OnceCell;
use tch::{Device, Kind, Tensor, nn};

#[no_retain]
#[derive(Default)]
struct Pos {
    table: OnceCell<Detached<Tensor>>,
}
impl Pos {
    fn get(&self) -> Tensor {
        self.table.get_or_init(|| Detached::from(Tensor::arange(H, (Kind::Float, Device::Cpu)).sin())).get()
    }
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let pos = Pos::default();
    for (x, y) in data() {
        opt.backward_step(&net.loss(&(x + pos.get()), &y));
    }
}

#[test]
fn runs_flat() {
    guard_tests::flat::run(run);
}
