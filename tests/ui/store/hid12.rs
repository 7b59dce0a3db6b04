// HID12: a list of `Result<Tensor, _>`.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Reduction, Tensor, nn};

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut rs: Vec<Result<Tensor, tch::TchError>> = vec![];
    for (x, y) in data() {
        rs.push(net.forward(&x).f_mse_loss(&y, Reduction::Mean));
    }
}

fn main() {}
