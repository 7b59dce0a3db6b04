// BNK04: a table of embeddings refreshed during training.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use std::collections::HashMap;
use tch::{Kind, Reduction, Tensor, nn, nn::Module};

#[no_retain]
pub fn run(net: &Net, opt: &mut nn::Optimizer) {
    let mut table: HashMap<usize, Tensor> = HashMap::new();
    for (i, (x, y)) in data().enumerate() {
        let e = net.features(&x);
        opt.backward_step(&net.l2.forward(&e).mse_loss(&y, Reduction::Mean));
        table.insert(i, e.mean_dim(0, false, Kind::Float));
    }
}

fn main() {}
