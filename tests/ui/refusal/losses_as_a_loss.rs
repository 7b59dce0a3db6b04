use guard_core::TrainMemoryGuard;
use tch::Tensor;

fn log(guard: &mut TrainMemoryGuard, losses: Vec<Tensor>) {
    guard.record_loss(losses).unwrap();
}

fn main() {}
