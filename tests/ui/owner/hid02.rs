// HID02: a list of a wrapper with `Deref`.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use std::ops::Deref;
use tch::{Tensor, nn};

#[no_retain]
struct Val {
    inner: Tensor,
}
impl Deref for Val {
    type Target = Tensor;
    fn deref(&self) -> &Tensor {
        &self.inner
    }
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut vals: Vec<Val> = vec![];
    for (x, y) in data() {
        let v = Val { inner: net.loss(&x, &y) };
        opt.backward_step(&v);
        vals.push(v);
    }
}

fn main() {}
