// Elements lent to the step one by one.
use guard_core::no_retain;
use guard_tests::harness::*;
use tch::Tensor;

#[no_retain]
fn one(net: &Net) {
    let mut s: Vec<Option<Tensor>> = Default::default();
    for (i, (x, y)) in data().enumerate() {
        if let Some(slot) = s.get_mut(i) {
            *slot = Some(net.loss(&x, &y));
        }
    }
}

#[no_retain]
fn two(net: &Net) {
    let mut s: Vec<Option<Tensor>> = Default::default();
    for (slot, (x, y)) in s.iter_mut().zip(data()) {
        *slot = Some(net.loss(&x, &y));
    }
}

#[no_retain]
fn three(net: &Net) {
    let mut s: Vec<Option<Tensor>> = Default::default();
    for ((x, y), slot) in data().zip(s.iter_mut()) {
        *slot = Some(net.loss(&x, &y));
    }
}

#[no_retain]
fn four(net: &Net) {
    let mut s: Vec<Option<Tensor>> = Default::default();
    data().zip(&mut s).for_each(|((x, y), slot)| *slot = Some(net.loss(&x, &y)));
}

fn main() {}
