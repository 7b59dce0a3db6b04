// CLO06: a stopping rule that remembers the objective before.
use guard_core::no_retain;
use guard_tests::harness::{Net, data, f};
use tch::{Tensor, nn};

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut prev: Option<Tensor> = None;
    let mut stop = |fval: Tensor| {
        let d = prev.as_ref().map(|p| f(&(p - &fval)));
        prev = Some(fval);
        d
    };
    for (x, y) in data() {
        stop(net.loss(&x, &y));
    }
}

fn main() {}
