//! `trainer leak-demo`.

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use guard_core::no_retain;
use tch::Device;
use trainer::{
    config::TrainConfig,
    data::{EvalTransforms, Loader, LoaderConfig, Shapes, Split},
    report::{
        LeakCurves, leak_png,
        plots::{LeakPoint, LeakRun},
        units,
    },
    train::leak::LeakExperiment,
};

/// Images of a step; two keep the demonstration short.
const BATCH_SIZE: usize = 2;

/// Show the leak that the policy forbids: the same loop twice, with and without it.
///
/// Both loops train this trainer's own RT-DETR v2 on the embedded shapes. The first pushes every loss and a feature
/// map into a list, which the policy refuses to compile unless every such line says why; the second keeps numbers and
/// detached copies. Live tensor bytes, autograd nodes and heap bytes are counted after each step.
#[derive(clap::Args)]
#[no_retain]
pub struct Args {
    /// Steps of each loop
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(2..=5000))]
    steps: u64,
    /// The picture with both curves
    #[arg(long, default_value = "runs/leak-demo.png", value_name = "FILE")]
    out: PathBuf,
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut config = TrainConfig::shapes();
    let (steps, side) = (args.steps as usize, config.data.side);
    let shapes = Shapes::new(Split::Train, 0, steps * BATCH_SIZE, side)?;
    config.model.num_classes = trainer::data::Dataset::class_names(&shapes).len() as i64;
    let loader = LoaderConfig { batch_size: BATCH_SIZE, workers: 0, ..LoaderConfig::default() };
    let batches = Loader::new(Arc::new(shapes), Arc::new(EvalTransforms { side }), loader)?;

    eprintln!("the policy's way: {steps} steps");
    let policy = LeakExperiment::new(&config.model, Device::Cpu)?.keep_values(&batches, steps)?;
    eprintln!("the wrong way: {steps} steps");
    let wrong = LeakExperiment::new(&config.model, Device::Cpu)?.keep_graphs(&batches, steps)?;

    println!("growth per step            tensor bytes   autograd nodes     heap bytes");
    println!("{}", row("kept as they are", &wrong));
    println!("{}", row("kept as the policy asks", &policy));
    if let Some(folder) = args.out.parent() {
        std::fs::create_dir_all(folder)?;
    }
    leak_png(&args.out, &LeakCurves { wrong, policy })?;
    println!("look at {}", args.out.display());
    Ok(ExitCode::SUCCESS)
}

fn row(name: &str, run: &LeakRun) -> String {
    let grown = |value: fn(&LeakPoint) -> u64| growth(run, value);
    let (bytes, nodes, heap) = (grown(|p| p.live_bytes), grown(|p| p.graph_nodes), grown(|p| p.heap_bytes));
    format!("{name:<24} {bytes:>14} {nodes:>16} {heap:>14}")
}

/// Mean growth per step over the second half, when caches and optimiser state are there.
fn growth(run: &LeakRun, value: fn(&LeakPoint) -> u64) -> String {
    let half = &run.points[run.points.len() / 2 - usize::from(run.points.len() == 2)..];
    let (first, last) = (value(&half[0]) as i64, value(&half[half.len() - 1]) as i64);
    let per_step = (last - first) / (half.len() as i64 - 1).max(1);
    let sign = if per_step < 0 { "-" } else { "" };
    format!("{sign}{}", units::grouped(per_step.unsigned_abs()))
}
