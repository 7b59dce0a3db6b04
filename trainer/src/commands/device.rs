//! `--device`.

use anyhow::{Context, ensure};
use tch::Device;

/// The device that `--device` names.
pub fn parse_device(text: &str) -> anyhow::Result<Device> {
    match text {
        "auto" => Ok(Device::cuda_if_available()),
        "cpu" => Ok(Device::Cpu),
        _ => cuda_device(text),
    }
}

fn cuda_device(text: &str) -> anyhow::Result<Device> {
    let index = text.strip_prefix("cuda:").and_then(|n| n.parse().ok());
    let index: usize = index.with_context(|| format!("--device {text}: expected auto, cpu or cuda:N"))?;
    guard_core::accelerator::load().with_context(|| format!("--device {text}"))?;
    let found = tch::Cuda::device_count() as usize;
    ensure!(index < found, "--device {text}: libtorch sees {found} CUDA devices");
    Ok(Device::Cuda(index))
}
