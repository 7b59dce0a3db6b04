// Cells, once-cells and closures that fill them.
use guard_core::no_retain;
use guard_tests::harness::*;
use std::{cell::Cell, cell::OnceCell, cell::RefCell, rc::Rc, sync::Arc};
use tch::Tensor;

#[no_retain]
fn one(net: &Net) {
    let c: Cell<Option<Tensor>> = Cell::new(None);
    for (x, y) in data() {
        c.set(Some(net.loss(&x, &y)));
    }
}

#[no_retain]
fn two(net: &Net) {
    let mut v: Arc<Vec<Tensor>> = Arc::default();
    for (x, y) in data() {
        if let Some(v) = Arc::get_mut(&mut v) {
            v.push(net.loss(&x, &y));
        }
    }
}

#[no_retain]
fn three(net: &Net) {
    let sink: Rc<RefCell<Vec<Tensor>>> = Rc::default();
    fn log(s: &RefCell<Vec<Tensor>>, t: Tensor) {
        s.borrow_mut().push(t)
    }
    for (x, y) in data() {
        log(&sink, net.loss(&x, &y));
    }
}

#[no_retain]
fn four(net: &Net) {
    let once: OnceCell<Tensor> = OnceCell::new();
    for (x, _) in data() {
        let _ = once.get_or_init(|| net.features(&x));
    }
}

#[no_retain]
fn five(net: &Net, sink: &dyn Fn(Tensor), n: usize) {
    let kept = RefCell::new(vec![]);
    let keep = |t: Tensor| {
        kept.borrow_mut().push(t);
    };
    let mut go = |x: Tensor| keep(net.forward(&x));
    for (x, _) in data() {
        go(x);
    }
}

fn main() {}
