//! `trainer presets`.

use std::process::ExitCode;

use guard_core::no_retain;
use trainer::config::PRESETS;

/// List the published recipes that `train --preset` knows.
#[derive(clap::Args)]
#[no_retain]
pub struct Args {}

/// Runs the subcommand.
pub fn run(_args: Args) -> anyhow::Result<ExitCode> {
    println!("{:<22} {:>6} {:>6}  official configuration", "preset", "epochs", "batch");
    for preset in &PRESETS {
        println!("{:<22} {:>6} {:>6}  {}", preset.short, preset.epochs, preset.batch_size, preset.name);
    }
    Ok(ExitCode::SUCCESS)
}
