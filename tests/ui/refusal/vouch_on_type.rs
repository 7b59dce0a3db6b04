use guard_core::no_retain;

#[no_retain(vouch(sum, reason = "a number"))]
struct Meter {
    sum: f64,
}

fn main() {}
