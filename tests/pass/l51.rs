//! L51: batches prefetched through a channel.

use guard_core::{Detached, no_retain};
use guard_tests::harness::{N, Net, batch, data};
use std::{sync::mpsc, thread};
use tch::{Tensor, nn};

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let (tx, rx) = mpsc::sync_channel::<Detached<Tensor>>(2);
    let h = thread::spawn(move || {
        for _ in 0..N {
            if tx.send(Detached::from(batch())).is_err() {
                break;
            }
        }
    });
    for ((_, y), x) in data().zip(rx.iter()) {
        opt.backward_step(&net.loss(&x.get(), &y));
    }
    drop(rx);
    h.join().unwrap();
}

/// As it was, but for the attribute.
#[no_retain(vouch(tx, reason = "inputs, which no parameter has touched"))]
pub fn run_vouched(net: &Net, opt: &mut nn::Optimizer) {
    let (tx, rx) = mpsc::sync_channel::<Tensor>(2);
    let h = thread::spawn(move || {
        for _ in 0..N {
            if tx.send(batch()).is_err() {
                break;
            }
        }
    });
    for ((_, y), x) in data().zip(rx.iter()) {
        opt.backward_step(&net.loss(&x, &y));
    }
    drop(rx);
    h.join().unwrap();
}

#[test]
fn runs_flat() {
    guard_tests::flat::run_beside_a_thread(4 * 16_384, run);
    guard_tests::flat::run_beside_a_thread(4 * 16_384, run_vouched);
}
