// A closure handed to a function that may call it for every batch.
use guard_core::no_retain;
use guard_tests::harness::*;
use tch::Tensor;

fn each(net: &Net, mut observe: impl FnMut(Tensor)) {
    for (x, y) in data() {
        observe(net.loss(&x, &y));
    }
}

struct Loader;

impl Loader {
    fn each(&self, mut step: impl FnMut(Tensor, Tensor)) {
        data().for_each(|(x, y)| step(x, y));
    }
}

#[no_retain]
fn to_a_function(net: &Net) -> usize {
    let mut history = Vec::new();
    each(net, |loss| history.push(loss));
    history.len()
}

#[no_retain]
fn by_reference(net: &Net) {
    let mut last = zero();
    each(net, &mut |loss| last = loss);
}

#[no_retain]
fn by_name(net: &Net) {
    let mut total = zero();
    let add = |loss: Tensor| total += loss;
    each(net, add);
}

#[no_retain]
fn to_a_method(net: &Net) {
    let mut total = zero();
    Loader.each(|x, y| total += net.loss(&x, &y));
}

#[no_retain]
fn to_a_collection(net: &Net) {
    let mut total = zero();
    let mut seeds: Vec<usize> = (0..60).collect();
    seeds.retain(|_| {
        total = &total + net.loss(&batch(), &batch());
        f(&total) > 0.0
    });
}

#[no_retain]
fn to_an_iterator(net: &Net) -> Vec<f64> {
    let mut h = h0();
    let steps = std::iter::from_fn(|| {
        h = net.cell(&batch(), &h);
        Some(f(&h.norm()))
    });
    steps.take(60).collect()
}

fn main() {}
