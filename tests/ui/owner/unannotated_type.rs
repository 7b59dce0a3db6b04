use guard_core::no_retain;
use std::{cell::RefCell, collections::HashMap};
use tch::Tensor;

struct Cache {
    features: Tensor,
}

struct Entry(Tensor);

#[no_retain]
struct Encoder {
    cache: Cache,
    entries: HashMap<String, Entry>,
    shared: RefCell<Cache>,
}

fn main() {}
