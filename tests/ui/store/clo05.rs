// CLO05: an accumulator carried by `scan`.
use guard_core::no_retain;
use guard_tests::harness::{Net, data, f, zero};
use tch::nn;

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let curve: Vec<f64> = data()
        .scan(zero(), |acc, (x, y)| {
            let loss = net.loss(&x, &y);
            opt.backward_step(&loss);
            *acc = &*acc + loss;
            Some(f(acc))
        })
        .collect();
}

fn main() {}
