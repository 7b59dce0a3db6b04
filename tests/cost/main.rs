//! What the attribute costs: nothing at run time, little at compile time. `make cost` runs it.

mod compile_time;
mod generate;
mod instructions;
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
    at_run_time(workspace, "cost-pure")?;
    at_run_time(workspace, "cost-tensor")?;
    at_compile_time(workspace)
}

/// # Errors
/// Also when the assembly or the number of instructions differs.
fn at_run_time(workspace: &Path, example: &str) -> io::Result<()> {
    let report = instructions::measure(workspace, example)?;
    let [plain, again, annotated] = report.instructions;
    println!("{example}: {} lines of assembly differ", report.different_lines);
    println!("  {plain} instructions plain, {again} plain again, {annotated} annotated");
    if report.different_lines > 0 || plain != annotated {
        return Err(io::Error::other(format!("{example}: the attribute costs something at run time")));
    }
    Ok(())
}

fn at_compile_time(workspace: &Path) -> io::Result<()> {
    let report = compile_time::measure(workspace, PAIRS)?;
    println!("cargo check of {} lines, {} attributes, CPU time:", report.lines, report.attributes);
    for (plain, annotated) in &report.pairs {
        println!("  {:.3} s plain, {:.3} s annotated", plain.as_secs_f64(), annotated.as_secs_f64());
    }
    let (plain, annotated) = report.seconds();
    println!("  {plain:.3} s plain, {annotated:.3} s annotated, ratio {:.3} (medians)", report.ratio());
    Ok(())
}
