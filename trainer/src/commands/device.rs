//! What libtorch computes with: `--device` and `--threads`.

use anyhow::{Context, ensure};
use guard_core::no_retain;
use tch::Device;

/// The device, and the processor's threads.
#[derive(clap::Args)]
#[no_retain]
pub struct ComputeArgs {
    /// `auto`, `cpu` or `cuda:N`
    #[arg(long, default_value = "auto")]
    device: String,
    /// Threads that libtorch computes with [default: all cores]
    #[arg(long, value_parser = clap::value_parser!(i32).range(1..=1024))]
    threads: Option<i32>,
}

impl ComputeArgs {
    /// Sets the number of threads, if one is asked for.
    pub fn set_threads(&self) {
        if let Some(threads) = self.threads {
            tch::set_num_threads(threads);
        }
    }

    /// The device that is asked for.
    pub fn device(&self) -> anyhow::Result<Device> {
        parse_device(&self.device)
    }
}

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
