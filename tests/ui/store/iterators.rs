// Epochs written as iterators.
use guard_core::no_retain;
use guard_tests::harness::*;
use tch::Tensor;

#[no_retain]
fn one(net: &Net) {
    let mut l: Vec<Tensor> = vec![];
    for (x, y) in data() {
        l = l.into_iter().chain(std::iter::once(net.loss(&x, &y))).collect();
    }
}

#[no_retain]
fn two(net: &Net) -> usize {
    let v = Vec::from_iter(data().map(|(x, y)| net.loss(&x, &y)));
    v.len()
}

#[no_retain]
fn three(net: &Net) -> usize {
    let mut v = vec![];
    v.extend(data().map(|(x, y)| net.loss(&x, &y)));
    v.len()
}

#[no_retain]
fn four(net: &Net) -> usize {
    let it = data().map(|(x, y)| net.loss(&x, &y));
    let v: Vec<_> = it.collect();
    v.len()
}

#[no_retain]
fn five(net: &Net) -> f64 {
    let t: Tensor = data().map(|(x, y)| net.loss(&x, &y)).sum();
    f(&t)
}

fn main() {}
