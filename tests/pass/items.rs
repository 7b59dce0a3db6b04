//! Owners of every shape, traits and modules.

use guard_core::{Detached, GraphFree, Param, ReadOnly, no_retain};
use guard_tests::harness::*;
use std::sync::Mutex;
use tch::{Kind, Tensor, nn};

#[no_retain]
struct Gen<'a, T: GraphFree, const N: usize>
where
    T: Clone,
{
    a: &'a [T; N],
    next: Option<Box<Gen<'a, T, N>>>,
    #[cfg(any())]
    gone: Tensor,
    f: fn(&Tensor) -> Tensor,
    p: std::marker::PhantomData<Tensor>,
}

#[no_retain]
enum E {
    A { x: f64 },
    B(Param, Detached<Vec<Tensor>>),
    C,
}

#[no_retain]
mod inner {
    use super::*;
    pub struct Out {
        pub t: Tensor,
    }
    pub fn forward(net: &Net, x: &Tensor) -> Out {
        Out { t: net.forward(x) }
    }
    impl Out {
        pub fn s(&self) -> f64 {
            f(&self.t.sum(Kind::Float))
        }
    }
    static S: Mutex<f64> = Mutex::new(0.0);
}

/// What its author answers for, as one does for `Send`.
struct Handle<T>(*const T);

impl<T: GraphFree> ReadOnly for Handle<T> {}
impl<T: GraphFree> GraphFree for Handle<T> {}

#[no_retain]
struct Pool<'a> {
    handles: Vec<Handle<f64>>,
    lent: &'a mut [Handle<f64>],
    boxed: std::pin::Pin<Box<Handle<f64>>>,
}

#[no_retain]
trait Hook {
    fn on(&mut self, step: usize, loss: f64);
    fn done(&mut self) {
        for i in 0..2 {
            self.on(i, 0.0);
        }
    }
}

#[no_retain]
struct Print {
    n: usize,
}
impl Hook for Print {
    fn on(&mut self, _: usize, _: f64) {
        self.n += 1;
    }
}

#[no_retain]
fn hooks(net: &Net, hooks: &mut [Box<dyn Hook>], opt: &mut nn::Optimizer) {
    for (i, (x, y)) in data().enumerate() {
        let l = net.loss(&x, &y);
        opt.backward_step(&l);
        for h in hooks.iter_mut() {
            h.on(i, f(&l));
        }
    }
}

#[test]
fn runs() {
    let net = net();
    let mut opt = adam(&net);
    hooks(&net, &mut [Box::new(Print { n: 0 })], &mut opt);
}
