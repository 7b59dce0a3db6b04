// EVL01: predictions gathered with grad on.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::nn;

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut preds = vec![];
    for (x, _) in data() {
        preds.push(net.forward(&x).argmax(1, false));
        preds.push(net.forward(&x));
    }
}

fn main() {}
