// CLO04: a callback behind `dyn Trait` that keeps what it is shown.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Tensor, nn};

#[no_retain]
trait Callback {
    fn on_step(&mut self, loss: &Tensor);
}
#[no_retain]
#[derive(Default)]
struct History(Vec<Tensor>);
impl Callback for History {
    fn on_step(&mut self, loss: &Tensor) {
        self.0.push(loss.shallow_clone())
    }
}

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut cbs: Vec<Box<dyn Callback>> = vec![Box::new(History::default())];
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        for c in &mut cbs {
            c.on_step(&loss)
        }
    }
}

fn main() {}
