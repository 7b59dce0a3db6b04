use guard_core::no_retain;

#[no_retain(crate)]
struct Unnamed {
    sum: f64,
}

#[no_retain(crate = "guard_core")]
struct Quoted {
    sum: f64,
}

fn main() {}
