// `Vec<T>` is as good as `T`, and of `T` nothing is known.
use guard_core::no_retain;

#[no_retain]
struct Window<T> {
    values: Vec<T>,
}

fn main() {}
