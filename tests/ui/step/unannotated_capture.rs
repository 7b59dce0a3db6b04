use guard_core::no_retain;
use tch::{Tensor, nn, nn::Module};

struct Model {
    head: nn::Linear,
    last: Option<Tensor>,
}

struct Loader {
    batches: Vec<Tensor>,
}

impl Model {
    fn learn(&mut self, x: &Tensor) {
        self.last = Some(self.head.forward(x));
    }
}

#[no_retain]
fn train(model: &mut Model, loader: &Loader) {
    for step in 0..10 {
        model.learn(&loader.batches[step]);
    }
}

#[no_retain]
impl Model {
    fn train_with(&mut self, loader: &Loader) {
        for x in &loader.batches {
            self.learn(x);
        }
    }
}

fn main() {}
