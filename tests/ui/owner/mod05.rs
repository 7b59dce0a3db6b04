// MOD05: a scale set by the first batch, in a `OnceCell`.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use std::cell::OnceCell;
use tch::{Kind, Tensor, nn};

#[no_retain]
#[derive(Default)]
struct Norm {
    scale: OnceCell<Tensor>,
}
impl Norm {
    fn scale(&self, h: &Tensor) -> &Tensor {
        self.scale.get_or_init(|| h.abs().mean(Kind::Float))
    }
}

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let n = Norm::default();
    for (x, _) in data() {
        let h = net.features(&x);
        let _h = &h / n.scale(&h);
    }
}

fn main() {}
