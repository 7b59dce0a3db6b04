// `break 'label value` out of a step.
use guard_core::no_retain;
use guard_tests::harness::*;
use tch::{Tensor, nn};

#[no_retain]
fn of_a_loop(net: &Net, opt: &mut nn::Optimizer) -> Tensor {
    'epochs: loop {
        for (x, y) in data() {
            let loss = net.loss(&x, &y);
            opt.backward_step(&loss);
            if f(&loss) < 0.1 {
                break 'epochs loss;
            }
        }
    }
}

#[no_retain]
fn of_a_block(net: &Net, opt: &mut nn::Optimizer) -> Option<Tensor> {
    'search: {
        for (x, y) in data() {
            let loss = net.loss(&x, &y);
            opt.backward_step(&loss);
            if f(&loss) < 0.1 {
                break 'search Some(loss);
            }
        }
        None
    }
}

fn main() {}
