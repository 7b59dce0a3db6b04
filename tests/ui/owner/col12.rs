// COL12: the hardest examples, with their outputs, in a `BinaryHeap`.
use guard_core::no_retain;
use guard_tests::harness::{Net, data, f};
use std::collections::BinaryHeap;
use tch::{Reduction, Tensor, nn};

#[no_retain]
struct Hard(i64, Tensor);
impl PartialEq for Hard {
    fn eq(&self, o: &Self) -> bool {
        self.0 == o.0
    }
}
impl Eq for Hard {}
impl PartialOrd for Hard {
    fn partial_cmp(&self, o: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(o))
    }
}
impl Ord for Hard {
    fn cmp(&self, o: &Self) -> std::cmp::Ordering {
        self.0.cmp(&o.0)
    }
}

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut hard = BinaryHeap::new();
    for (x, y) in data() {
        let out = net.forward(&x);
        let loss = out.mse_loss(&y, Reduction::Mean);
        hard.push(Hard((f(&loss) * 1e6) as i64, out));
    }
}

fn main() {}
