use guard_core::no_retain;

#[no_retain]
async fn train() {}

fn main() {}
