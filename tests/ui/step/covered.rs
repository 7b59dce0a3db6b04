// Under an attribute on an `impl`: what a method that makes tensors keeps, and loops that do not.
use guard_core::no_retain;
use guard_tests::harness::*;
use tch::{Tensor, nn};

struct Tap {
    seen: Vec<Tensor>,
}

#[no_retain]
impl Tap {
    fn forward(&mut self, net: &Net, x: &Tensor) -> Tensor {
        let mut h = x.shallow_clone();
        for _ in 0..2 {
            h = net.features(&h);
            self.seen.push(h.shallow_clone());
        }
        h
    }

    fn evaluate(&self, net: &Net, x: &Tensor, y: &Tensor) -> f64 {
        let mut total = zero();
        for i in 0..B {
            total = total + net.loss(&x.get(i), &y.get(i));
        }
        f(&total)
    }

    fn fit(&self, net: &Net, opt: &mut nn::Optimizer, x: &Tensor) -> Tensor {
        let mut total = zero();
        for _ in 0..3 {
            let loss = net.loss(x, x);
            opt.backward_step(&loss);
            total += loss;
        }
        total
    }
}

#[no_retain]
fn generate(net: &Net, x: &Tensor) -> Tensor {
    let mut x = x.shallow_clone();
    for _ in 0..60 {
        x = net.forward(&x);
    }
    x
}

fn main() {}
