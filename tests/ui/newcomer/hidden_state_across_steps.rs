use guard_core::no_retain;
use guard_tests::harness::{Net, data, h0};
use tch::{Kind, nn};

#[no_retain]
fn train(net: &Net, opt: &mut nn::Optimizer) {
    let mut hidden = h0();
    for (x, _) in data() {
        hidden = net.cell(&x, &hidden);
        opt.backward_step(&hidden.mean(Kind::Float));
    }
}

fn main() {}
