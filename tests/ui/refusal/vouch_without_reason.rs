use guard_core::no_retain;

#[no_retain(vouch(bar))]
fn train() {}

fn main() {}
