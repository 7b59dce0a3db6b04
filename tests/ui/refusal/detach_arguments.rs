use guard_core::Detach;
use tch::Tensor;

#[derive(Detach)]
#[detach(guard_core)]
struct Memory {
    keys: Tensor,
}

fn main() {}
