// CTL04: a recursion with the total as argument.
use guard_core::no_retain;
use guard_tests::harness::{Data, Net, data, zero};
use tch::{Tensor, nn};

#[no_retain]
fn go(net: &Net, d: &mut Data, acc: Tensor) -> Tensor {
    match d.next() {
        Some((x, y)) => {
            let l = net.loss(&x, &y);
            go(net, d, acc + l)
        }
        None => acc,
    }
}

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let _total = go(net, &mut data(), zero());
}

fn main() {}
