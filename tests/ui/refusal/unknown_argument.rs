use guard_core::no_retain;

#[no_retain(strict)]
fn train() {}

fn main() {}
