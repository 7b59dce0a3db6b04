// Closures from elsewhere: what they are called with may be kept.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::Tensor;

#[no_retain]
fn changing(net: &Net, observe: &mut dyn FnMut(&Tensor) -> bool) {
    for (x, y) in data() {
        if observe(&net.loss(&x, &y)) {
            break;
        }
    }
}

#[no_retain]
fn for_effect(net: &Net, observe: impl Fn(Tensor)) {
    for (x, y) in data() {
        observe(net.loss(&x, &y));
    }
}

fn logger() -> impl Fn(Tensor) {
    let kept = std::cell::RefCell::new(Vec::new());
    move |loss| kept.borrow_mut().push(loss)
}

#[no_retain]
fn made_elsewhere(net: &Net) {
    let log = logger();
    for (x, y) in data() {
        log(net.loss(&x, &y));
    }
}

fn main() {}
