// FLD09: the best output, reached through two nested structs.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Tensor, nn};

#[no_retain]
#[derive(Default)]
struct Best {
    out: Option<Tensor>,
}
#[derive(Default)]
struct Log {
    best: Best,
}

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut log = Log::default();
    for (x, _) in data() {
        let best = &mut log.best;
        best.out = Some(net.forward(&x));
    }
}

fn main() {}
