use guard_core::no_retain;

#[no_retain(vouch(reason = "it is fine"))]
fn train() {}

fn main() {}
