use std::sync::Mutex;

use guard_core::no_retain;
use tch::Tensor;

#[no_retain]
static LAST_LOSS: Mutex<Option<Tensor>> = Mutex::new(None);

fn main() {}
