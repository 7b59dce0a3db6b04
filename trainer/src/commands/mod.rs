//! One file per subcommand.

mod bench;
mod config_source;
mod convert;
mod data;
mod data_source;
mod device;
mod eval;
mod inspect;
mod interrupt;
mod leak_demo;
mod outcome;
mod predict;
mod presets;
mod resources;
mod train;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Trains RT-DETR v2 detectors; nothing that outlives a step can keep an autograd graph.
#[derive(Parser)]
#[command(name = "trainer", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Train(Box<train::Args>),
    Data(data::Args),
    Eval(eval::Args),
    Predict(predict::Args),
    Presets(presets::Args),
    Convert(Box<convert::Args>),
    Inspect(inspect::Args),
    LeakDemo(leak_demo::Args),
    Bench(bench::Args),
}

impl Cli {
    /// Runs the chosen subcommand.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        // Both must come before the first tensor: libtorch looks for CUDA once, and the allocator counts from here.
        // Without CUDA the run goes on; `--device cuda:0` repeats the reason.
        let _ = guard_core::accelerator::load();
        guard_core::memory::install();
        match self.command {
            Command::Train(args) => train::run(*args),
            Command::Data(args) => data::run(args),
            Command::Eval(args) => eval::run(args),
            Command::Predict(args) => predict::run(args),
            Command::Presets(args) => presets::run(args),
            Command::Convert(args) => convert::run(*args),
            Command::Inspect(args) => inspect::run(args),
            Command::LeakDemo(args) => leak_demo::run(args),
            Command::Bench(args) => bench::run(args),
        }
    }
}

/// A number from 0 to 1.
fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|&number| number > 0)
        .ok_or_else(|| "expected a whole number, at least 1".to_owned())
}
