use guard_core::Detached;
use tch::Tensor;

struct Outputs {
    logits: Tensor,
    boxes: Tensor,
}

fn keep(outputs: &Outputs) -> Detached<Outputs> {
    Detached::new(outputs)
}

fn main() {}
