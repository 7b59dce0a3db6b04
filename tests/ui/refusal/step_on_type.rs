use guard_core::no_retain;

#[no_retain(step)]
struct Meter {
    sum: f64,
}

fn main() {}
