use guard_core::Detach;

#[derive(Detach)]
union Either {
    number: f64,
    index: usize,
}

fn main() {}
