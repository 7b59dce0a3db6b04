// CTL01: the loss that `break` hands out of a loop.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::nn;

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut d = data();
    let mut keep = vec![];
    for _epoch in 0..6 {
        let last = loop {
            let (x, y) = d.next().unwrap();
            let loss = net.loss(&x, &y);
            if d.size_hint().0 == 0 {
                break loss;
            }
        };
        keep.push(last);
    }
    while let Some(_) = d.next() {}
}

fn main() {}
