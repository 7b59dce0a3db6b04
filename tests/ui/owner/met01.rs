// MET01: an average meter fed with tensors.
use guard_core::no_retain;
use guard_tests::harness::{B, Net, data, zero};
use tch::{Tensor, nn};

#[no_retain]
struct AverageMeter {
    val: Tensor,
    sum: Tensor,
    n: i64,
}
impl AverageMeter {
    fn update(&mut self, v: &Tensor, n: i64) {
        self.val = v.shallow_clone();
        self.sum += v * n;
        self.n += n;
    }
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut m = AverageMeter { val: zero(), sum: zero(), n: 0 };
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        m.update(&loss, B);
    }
}

fn main() {}
