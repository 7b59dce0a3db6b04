// RNN03: the memories of the layers, replaced by new ones.
use guard_core::no_retain;
use guard_tests::harness::{Net, data, h0};
use tch::{Tensor, nn};

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut mems: Vec<Tensor> = vec![h0(), h0()];
    for (x, _) in data() {
        let new: Vec<Tensor> = mems.iter().map(|m| net.cell(&x, m)).collect();
        mems = new;
    }
}

fn main() {}
