use guard_core::no_retain;

#[no_retain]
union Either {
    number: f64,
    index: usize,
}

fn main() {}
