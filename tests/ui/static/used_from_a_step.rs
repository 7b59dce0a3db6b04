// Statics of unannotated code, filled by a step.
use guard_core::no_retain;
use guard_tests::harness::*;
use std::{cell::RefCell, sync::Mutex, sync::OnceLock};
use tch::Tensor;

static LOG: Mutex<Vec<Tensor>> = Mutex::new(Vec::new());

thread_local! { static HIST: RefCell<Vec<Tensor>> = RefCell::new(vec![]); }

static G: OnceLock<Mutex<Vec<Tensor>>> = OnceLock::new();

mod m {
    pub static LAZY: std::sync::LazyLock<std::sync::Mutex<Option<tch::Tensor>>> =
        std::sync::LazyLock::new(Default::default);
}

#[no_retain]
fn one(net: &Net) {
    for (x, y) in data() {
        HIST.with(|l| l.borrow_mut().push(net.loss(&x, &y)));
    }
}

#[no_retain]
fn two(net: &Net) {
    for (x, y) in data() {
        HIST.replace(vec![net.loss(&x, &y)]);
    }
}

#[no_retain]
fn three(net: &Net) {
    for (x, y) in data() {
        G.get_or_init(Default::default).lock().unwrap().push(net.loss(&x, &y));
    }
}

#[no_retain]
fn four(net: &Net) {
    for (x, y) in data() {
        *m::LAZY.lock().unwrap() = Some(net.loss(&x, &y));
    }
}

fn main() {}
