// RNN05: a recurrent state stored with each transition.
use guard_core::no_retain;
use guard_tests::harness::{Net, data, h0, zero};
use tch::{Tensor, nn};

#[no_retain]
struct Tr {
    obs: Tensor,
    state: Tensor,
}

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut buf: Vec<Tr> = vec![];
    let mut h = h0();
    for (x, _) in data() {
        h = net.cell(&x, &h);
        buf.push(Tr { obs: zero(), state: h.shallow_clone() });
    }
}

fn main() {}
