use guard_core::no_retain;

#[no_retain]
#[path = "outer_mod/elsewhere.rs"]
mod elsewhere;

fn main() {}
