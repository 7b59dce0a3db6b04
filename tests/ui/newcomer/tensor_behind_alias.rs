use guard_core::no_retain;
use tch::Tensor;

type Scalar = Tensor;

#[no_retain]
struct Meter {
    steps: usize,
    sum: Scalar,
}

fn main() {}
