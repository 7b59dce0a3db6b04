// Functions written inside an annotated function.
use guard_core::no_retain;
use guard_tests::harness::*;
use tch::{Tensor, nn};

#[no_retain]
fn one(net: &Net, opt: &mut nn::Optimizer) {
    fn epoch(net: &Net, opt: &mut nn::Optimizer) -> usize {
        let mut all = Vec::new();
        for (x, y) in data() {
            let loss = net.loss(&x, &y);
            opt.backward_step(&loss);
            all.push(loss);
        }
        all.len()
    }
    for _ in 0..3 {
        epoch(net, opt);
    }
}

#[no_retain]
fn two(net: &Net) -> f64 {
    mod evaluation {
        use super::*;
        pub fn total(net: &Net) -> Tensor {
            let mut total = zero();
            for (x, y) in data() {
                total = total + net.loss(&x, &y);
            }
            total
        }
    }
    f(&evaluation::total(net))
}

#[no_retain]
fn three(net: &Net) {
    struct Meter(Tensor);
    impl Meter {
        fn add(&mut self, loss: &Tensor) {
            self.0 = &self.0 + loss;
        }
    }
    let mut meter = Meter(zero());
    for (x, y) in data() {
        meter.add(&net.loss(&x, &y));
    }
}

fn main() {}
