// Assignments of every kind.
use guard_core::no_retain;
use guard_tests::harness::*;
use tch::{Kind, Tensor, nn};

#[no_retain]
fn one(net: &Net) {
    let mut p = (zero(), 1);
    for (x, y) in data() {
        let (a, _) = &mut p;
        *a = net.loss(&x, &y);
    }
}

#[no_retain]
fn two(net: &Net) {
    enum S {
        A(Tensor),
        B(Tensor),
    }
    let mut s = S::A(h0());
    for (x, y) in data() {
        s = match s {
            S::A(t) => S::B(net.cell(&x, &t)),
            S::B(t) => S::A(net.cell(&x, &t)),
        };
    }
}

#[no_retain]
fn three(net: &Net) {
    let mut t = zero();
    for (x, y) in data() {
        t = t.g_add(&net.loss(&x, &y));
    }
}

#[no_retain]
fn four(net: &Net) {
    let mut t = zero();
    for (x, y) in data() {
        let r = &mut t;
        *r += net.loss(&x, &y);
    }
}

#[no_retain]
fn five(net: &Net) {
    let mut h = h0();
    let mut o;
    for (x, _) in data() {
        (o, h) = {
            let h2 = net.cell(&x, &h);
            (f(&h2.sum(Kind::Float)), h2)
        };
        let _ = o;
    }
}

#[no_retain]
fn six(net: &Net, opt: &mut nn::Optimizer) {
    let mut total = zero();
    for _ in 0..3 {
        let mut e = 0.0;
        for (x, y) in data() {
            let l = net.loss(&x, &y);
            opt.backward_step(&l);
            e += f(&l);
        }
        total += net.loss(&batch(), &batch());
        let _ = e;
    }
}

fn main() {}
