// `return` out of the middle of a step.
use guard_core::no_retain;
use guard_tests::harness::*;
use tch::{TchError, Tensor, nn};

struct Best {
    loss: Tensor,
    step: usize,
}

#[no_retain]
fn bare(net: &Net, opt: &mut nn::Optimizer) -> Tensor {
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        if f(&loss) < 0.1 {
            return loss;
        }
    }
    zero()
}

#[no_retain]
fn in_a_result(net: &Net, opt: &mut nn::Optimizer) -> Result<Option<Tensor>, TchError> {
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        if f(&loss) < 0.1 {
            return Ok(Some(loss));
        }
    }
    Ok(None)
}

#[no_retain]
fn in_a_struct(net: &Net, opt: &mut nn::Optimizer) -> Option<Best> {
    for (step, (x, y)) in data().enumerate() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        if f(&loss) < 0.1 {
            return Some(Best { loss, step });
        }
    }
    None
}

fn main() {}
