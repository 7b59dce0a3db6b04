// RNN02: the state of an LSTM in a field.
use guard_core::no_retain;
use guard_tests::harness::{B, H, Net, data};
use tch::{Tensor, nn, nn::RNN};

#[no_retain]
struct Lm {
    lstm: nn::LSTM,
    st: nn::LSTMState,
}
impl Lm {
    fn step(&mut self, x: &Tensor) {
        self.st = self.lstm.step(x, &self.st);
    }
}

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let lstm = nn::lstm(net.vs.root() / "r", H, H, Default::default());
    let mut lm = Lm { st: lstm.zero_state(B), lstm };
    for (x, _) in data() {
        lm.step(&x);
    }
}

fn main() {}
