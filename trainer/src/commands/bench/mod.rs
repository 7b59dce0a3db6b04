//! `trainer bench`: how fast the parts are, for comparison with other implementations.

mod data;
mod forward;
mod host;
mod pictures;
mod step;
mod summary;

use std::process::ExitCode;

use clap::Subcommand;
use guard_core::no_retain;

/// Measure one part of training and print the numbers as one line of JSON.
#[derive(clap::Args)]
#[no_retain]
pub struct Args {
    #[command(subcommand)]
    part: Part,
}

#[derive(Subcommand)]
#[no_retain]
enum Part {
    Data(data::Args),
    Step(step::Args),
    Forward(forward::Args),
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.part {
        Part::Data(args) => data::run(args),
        Part::Step(args) => step::run(args),
        Part::Forward(args) => forward::run(args),
    }
}
