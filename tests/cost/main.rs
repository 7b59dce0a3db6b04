//! What the attribute costs: nothing at run time, little at compile time. `make cost` runs it.

mod compile_time;
mod generate;
mod usage;

use std::{io, path::Path, process::ExitCode};

/// Pairs of checks.
const PAIRS: usize = 7;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> io::Result<()> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace holds this crate");
    let report = compile_time::measure(workspace, PAIRS)?;
    for (plain, annotated) in &report.pairs {
        println!("  {:.3} s plain, {:.3} s annotated", plain.as_secs_f64(), annotated.as_secs_f64());
    }
    let (plain, annotated) = report.seconds();
    println!("{} lines, {} attributes", report.lines, report.attributes);
    println!("{plain:.3} s plain, {annotated:.3} s annotated, ratio {:.3}", report.ratio());
    Ok(())
}
