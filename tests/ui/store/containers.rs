// Containers of every kind, filled in a loop.
use guard_core::no_retain;
use guard_tests::harness::*;
use std::{collections::BTreeMap, collections::HashMap, collections::VecDeque};
use tch::{Tensor, nn};

#[no_retain]
fn one(net: &Net) {
    let mut h = vec![];
    for (x, y) in data() {
        h.extend([net.loss(&x, &y)]);
    }
}

#[no_retain]
fn two(net: &Net) {
    let mut h: HashMap<&str, Tensor> = HashMap::new();
    for (x, y) in data() {
        *h.entry("a").or_insert(zero()) += net.loss(&x, &y);
    }
}

#[no_retain]
fn three(net: &Net) {
    let mut b: BTreeMap<i32, Tensor> = BTreeMap::new();
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        b.entry(1).and_modify(|v| *v = &*v + &loss).or_insert_with(zero);
    }
}

#[no_retain]
fn four(net: &Net) {
    let mut fs: Vec<Box<dyn Fn() -> f64>> = vec![];
    for (x, y) in data() {
        let l = net.loss(&x, &y);
        fs.push(Box::new(move || f(&l)));
    }
}

#[no_retain]
fn five(net: &Net) {
    let mut q = VecDeque::with_capacity(8);
    let mut i = 0;
    while i < 60 {
        let out = net.forward(&batch());
        if q.len() == 8 {
            q.pop_front();
        }
        q.push_back(out);
        i += 1;
    }
}

#[no_retain]
fn six(net: &Net) {
    let (tx, rx) = std::sync::mpsc::channel();
    let h = std::thread::spawn(move || rx.iter().count());
    for (x, y) in data() {
        let _ = tx.send((1, net.loss(&x, &y)));
    }
    drop(tx);
    h.join().unwrap();
}

#[no_retain]
fn seven(net: &Net, opt: &mut nn::Optimizer) {
    let mut best = (f64::INFINITY, None);
    for (x, y) in data() {
        let out = net.forward(&x);
        let l = out.mse_loss(&y, tch::Reduction::Mean);
        opt.backward_step(&l);
        if f(&l) < best.0 {
            best = (f(&l), Some(out));
        }
    }
}

fn main() {}
