use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use guard_core::no_retain;
use tch::Tensor;

#[no_retain]
struct Monitor {
    losses: VecDeque<f64>,
    outputs: Arc<Mutex<VecDeque<(usize, Tensor)>>>,
}

fn main() {}
