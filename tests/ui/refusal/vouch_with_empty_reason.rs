use guard_core::no_retain;

#[no_retain(vouch(bar, reason = " "))]
fn train() {}

fn main() {}
