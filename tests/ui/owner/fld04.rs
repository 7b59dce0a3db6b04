// FLD04: the auxiliary loss of a layer parked in the layer.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Kind, Reduction, Tensor, nn, nn::Module};

#[no_retain]
struct Moe<'a> {
    net: &'a Net,
    aux: Option<Tensor>,
}
impl Moe<'_> {
    fn forward(&mut self, x: &Tensor) -> Tensor {
        let h = self.net.features(x);
        self.aux = Some(h.square().mean(Kind::Float));
        self.net.l2.forward(&h)
    }
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut m = Moe { net, aux: None };
    for (x, y) in data() {
        let out = m.forward(&x);
        opt.backward_step(&(out.mse_loss(&y, Reduction::Mean) + m.aux.as_ref().unwrap() * 0.01));
    }
}

fn main() {}
