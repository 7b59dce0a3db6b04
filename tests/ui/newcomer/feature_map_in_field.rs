use guard_core::no_retain;
use tch::{Tensor, nn, nn::Module};

#[no_retain]
struct Encoder {
    conv: nn::Conv2D,
    last_features: Option<Tensor>,
}

impl Encoder {
    fn forward(&mut self, x: &Tensor) -> Tensor {
        let features = self.conv.forward(x).relu();
        self.last_features = Some(features.shallow_clone());
        features
    }
}

fn main() {}
