// THR02: threads that own the losses they report.
use guard_core::no_retain;
use guard_tests::harness::{N, Net, data, f};
use std::{sync::Arc, sync::Barrier, thread};
use tch::nn;

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let gate = Arc::new(Barrier::new(N + 1));
    let mut hs = vec![];
    for (x, y) in data() {
        let (loss, g) = (net.loss(&x, &y), gate.clone());
        hs.push(
            thread::Builder::new()
                .stack_size(64 << 10)
                .spawn(move || {
                    g.wait();
                    f(&loss)
                })
                .unwrap(),
        );
    }
    gate.wait();
    for h in hs {
        h.join().unwrap();
    }
}

fn main() {}
