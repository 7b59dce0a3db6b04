// COL02: losses and outputs filed under a name with `entry`.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use std::collections::HashMap;
use tch::{Reduction, nn};

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut hist: HashMap<&str, Vec<_>> = HashMap::new();
    for (x, y) in data() {
        let out = net.forward(&x);
        let loss = out.mse_loss(&y, Reduction::Mean);
        opt.backward_step(&loss);
        hist.entry("loss").or_default().push(loss);
        hist.entry("out").or_default().push(out);
    }
}

fn main() {}
