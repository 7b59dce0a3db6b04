// MET02: a differentiable score used as a running metric.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Kind, Reduction, Tensor, nn};

#[no_retain]
#[derive(Default)]
struct Dice {
    inter: Vec<Tensor>,
    union: Vec<Tensor>,
}
impl Dice {
    fn update(&mut self, p: &Tensor, y: &Tensor) {
        self.inter.push((p * y).sum(Kind::Float));
        self.union.push((p + y).sum(Kind::Float));
    }
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut dice = Dice::default();
    for (x, y) in data() {
        let p = net.forward(&x).sigmoid();
        dice.update(&p, &y);
        opt.backward_step(&p.mse_loss(&y, Reduction::Mean));
    }
}

fn main() {}
