// HID11: an enum of metric values, one variant a tensor.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Tensor, nn};

#[no_retain]
enum Value {
    Num(f64),
    T(Tensor),
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut row: Vec<(String, Value)> = vec![];
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        row.push(("lr".into(), Value::Num(1e-4)));
        row.push(("loss".into(), Value::T(loss)));
    }
}

fn main() {}
