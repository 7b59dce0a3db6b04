//! Under an attribute on an `impl` or a `mod`, what makes tensors of tensors runs inside the step of its caller.

use guard_core::no_retain;
use guard_tests::harness::*;
use tch::{Reduction, Tensor, nn, nn::Module};

#[no_retain]
struct Unet {
    downs: Vec<nn::Linear>,
    ups: Vec<nn::Linear>,
}

#[no_retain]
impl Unet {
    fn new(path: &nn::Path) -> Self {
        let layer = |name: &str, i: i64| nn::linear(path / name / i, H, H, Default::default());
        let downs = (0..2).map(|i| layer("down", i)).collect();
        let ups = (0..2).map(|i| layer("up", i)).collect();
        Self { downs, ups }
    }

    fn forward(&self, x: &Tensor) -> Tensor {
        let (mut x, mut skips) = (x.shallow_clone(), Vec::new());
        for down in &self.downs {
            x = down.forward(&x).relu();
            skips.push(x.shallow_clone());
        }
        for (up, skip) in self.ups.iter().zip(skips.iter().rev()) {
            x = up.forward(&(x + skip));
        }
        x
    }

    fn every_scale(&self, x: &Tensor) -> Vec<Tensor> {
        self.downs.iter().map(|down| down.forward(x)).collect()
    }

    fn fit(&self, opt: &mut nn::Optimizer) -> f64 {
        let mut sum = 0.0;
        for (x, y) in data() {
            let mut loss = self.forward(&x).mse_loss(&y, Reduction::Mean);
            for scale in self.every_scale(&x) {
                loss += scale.mse_loss(&y, Reduction::Mean);
            }
            opt.backward_step(&loss);
            sum += f(&loss);
        }
        sum
    }
}

#[no_retain]
mod recurrent {
    use super::*;

    pub fn unroll(net: &Net, x: &Tensor) -> (Tensor, Vec<Tensor>) {
        let (mut h, mut all) = (h0(), Vec::new());
        for _ in 0..3 {
            h = net.cell(x, &h);
            all.push(h.shallow_clone());
        }
        (h, all)
    }

    pub fn train(net: &Net, opt: &mut nn::Optimizer) {
        for (x, y) in data() {
            let (h, all) = unroll(net, &x);
            opt.backward_step(&(h + &all[0]).mse_loss(&y, Reduction::Mean));
        }
    }
}

#[test]
fn runs() {
    let net = net();
    let mut opt = adam(&net);
    recurrent::train(&net, &mut opt);
    assert!(Unet::new(&(net.vs.root() / "unet")).fit(&mut opt) > 0.0);
}
