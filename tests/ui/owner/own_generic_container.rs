// A generic owner asks for the bound: `Window<Tensor>` is not even a type.
use guard_core::{GraphFree, no_retain};
use tch::Tensor;

#[no_retain]
struct Window<T: GraphFree> {
    values: Vec<T>,
}

#[no_retain]
struct Monitor {
    losses: Window<f64>,
    outputs: Window<Tensor>,
}

fn main() {}
