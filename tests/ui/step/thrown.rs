// An error that takes a tensor along.
use guard_core::no_retain;
use guard_tests::harness::*;
use tch::{Tensor, nn};

enum Fault {
    Nan(usize, Tensor),
    Diverged { loss: Tensor },
}

#[no_retain]
fn returned(net: &Net, opt: &mut nn::Optimizer) -> Result<(), Fault> {
    for (step, (x, y)) in data().enumerate() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        if f(&loss).is_nan() {
            return Err(Fault::Nan(step, loss));
        }
    }
    Ok(())
}

#[no_retain]
fn by_question_mark(net: &Net, opt: &mut nn::Optimizer) -> Result<(), Fault> {
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        if f(&loss) > 1e6 {
            Err(Fault::Diverged { loss })?;
        }
    }
    Ok(())
}

fn main() {}
