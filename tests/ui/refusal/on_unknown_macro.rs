use guard_core::no_retain;

macro_rules! layers {
    () => {};
}

#[no_retain]
layers!();

fn main() {}
