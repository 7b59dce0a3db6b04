//! Loading CUDA, or learning why not. One test: the answer is settled by the first torch call of the process.

use guard_core::accelerator;
use tch::{Cuda, Device, Kind, Tensor};

#[test]
fn the_answer_is_true_and_the_cpu_works_either_way() {
    match accelerator::load() {
        Ok(()) => assert!(Cuda::is_available() || !std::path::Path::new("/dev/nvidia0").exists()),
        Err(error) => {
            assert!(!Cuda::is_available());
            let text = error.to_string();
            assert!(text.starts_with("CUDA stays off, `libtorch_cuda.so` did not load: "), "{text}");
            assert!(error.reason.contains(".so"), "the loader names the missing file: {text}");
            assert!(accelerator::load().is_err_and(|again| again.reason == error.reason));
        }
    }
    assert_eq!(Tensor::ones([3], (Kind::Float, Device::Cpu)).sum(Kind::Float).double_value(&[]), 3.0);
}
