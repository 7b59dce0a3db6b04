use guard_core::no_retain;

#[no_retain]
use std::collections::HashMap;

fn main() {}
