// HID07: a generic helper that pushes.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::nn;

fn keep<T>(v: &mut Vec<T>, x: T) {
    v.push(x)
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut v = Vec::new();
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        keep(&mut v, loss);
    }
}

fn main() {}
