// EVL03: the scores of generated tokens, and the tokens fed back.
use guard_core::no_retain;
use guard_tests::harness::{Net, batch, data};
use tch::{Kind, Tensor, nn};

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut scores: Vec<Tensor> = vec![];
    let mut x = batch();
    for _ in data() {
        let out = net.forward(&x);
        scores.push(out.log_softmax(-1, Kind::Float).amax(-1, false));
        x = out;
    }
}

fn main() {}
