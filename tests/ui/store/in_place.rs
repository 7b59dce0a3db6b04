// Views of a tensor from outside, written in place; leaks on purpose.
use guard_core::no_retain;
use guard_tests::harness::*;
use tch::{IndexOp, Kind, Tensor};

#[no_retain]
fn one(net: &Net) {
    for (x, y) in data() {
        let _: &'static mut [Tensor] = vec![net.loss(&x, &y)].leak();
    }
}

#[no_retain]
fn two(net: &Net) {
    let buf = Tensor::zeros([60, H], (Kind::Float, tch::Device::Cpu));
    for (i, (x, _)) in data().enumerate() {
        buf.i(i as i64).copy_(&net.features(&x).get(0));
    }
}

#[no_retain]
fn three(net: &Net) {
    let buf = Tensor::zeros([60, H], (Kind::Float, tch::Device::Cpu));
    for (i, (x, _)) in data().enumerate() {
        let mut row = buf.get(i as i64);
        row += net.features(&x).get(0);
    }
}

fn main() {}
