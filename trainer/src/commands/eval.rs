//! `trainer eval`.

mod files;
mod table;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::Instant,
};

use guard_core::no_retain;
use indicatif::{ProgressBar, ProgressStyle};
use trainer::{
    data::{EvalTransforms, Loader, LoaderConfig},
    eval::CocoEvaluator,
    predict::Detector,
};

use super::{data_source, device::ComputeArgs, outcome, resources};

/// Measure a trained detector: the twelve COCO numbers, class by class, and pictures of its mistakes.
///
/// With --weights it detects on the validation split that the weights were trained beside, or on --data, and leaves in
/// --out: metrics.json (all numbers), results.json and ground_truth.json (COCO's formats, for other evaluators),
/// precision_recall.png, confusion.png and predictions.png. Classes are matched by their names.
///
/// With --results and --ground-truth it evaluates the detections of any detector, and draws with --out only.
#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
#[no_retain]
pub struct Args {
    /// The folder of a run (its best checkpoint), or a checkpoint
    #[arg(long, value_name = "RUN|FILE", required_unless_present = "results")]
    weights: Option<PathBuf>,
    /// `shapes`, or a data set as `trainer train` takes it [default: that of the run]
    #[arg(long, value_name = "shapes|PATH", requires = "weights")]
    data: Option<String>,
    /// Split of the data set
    #[arg(long, default_value = "val")]
    split: String,
    /// Where the files go [default: `eval` beside the weights]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Detections in COCO's results format, in place of a detector
    #[arg(long, value_name = "FILE", requires = "ground_truth", conflicts_with = "weights")]
    results: Option<PathBuf>,
    /// What they are compared with, in COCO's format
    #[arg(long, value_name = "FILE", requires = "results", conflicts_with = "weights")]
    ground_truth: Option<PathBuf>,
    /// Least score of a detection in confusion.png
    #[arg(long, default_value_t = 0.5, value_parser = super::share)]
    threshold: f64,
    /// Images that go through the network together
    #[arg(long, default_value_t = 4, value_parser = super::at_least_one)]
    batch: usize,
    #[command(flatten)]
    compute: ComputeArgs,
    /// Threads that read images
    #[arg(long, default_value_t = 1)]
    workers: usize,
}

const EXAMPLES: &str = "\
Examples:
  trainer eval --weights runs/shapes                        the best epoch on the split it was chosen by
  trainer eval --weights runs/BCCD --data BCCD --split test --out runs/BCCD/test
  trainer eval --results dets.json --ground-truth instances_val2017.json";

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let start = Instant::now();
    match (&args.results, &args.ground_truth, &args.weights) {
        (Some(results), Some(ground_truth), _) => evaluate_files(&args, results, ground_truth)?,
        (_, _, Some(weights)) => evaluate_detector(&args, weights)?,
        _ => unreachable!("clap asks for --weights or for both files"),
    }
    println!("{}", resources::spent(start));
    Ok(ExitCode::SUCCESS)
}

fn evaluate_files(args: &Args, results: &Path, ground_truth: &Path) -> anyhow::Result<()> {
    let mut evaluator = CocoEvaluator::read(ground_truth)?;
    evaluator.add_results(results)?;
    let (stats, curves) = evaluator.finish_with_curves()?;
    print!("{}", table::table(&stats, &curves));
    if let Some(out) = &args.out {
        let subject = results.display().to_string();
        let evaluation = files::Evaluation { evaluator, stats, curves, subject };
        files::write(out, &evaluation, args.threshold)?;
        println!("look at {}", out.join("{precision_recall,confusion}.png").display());
    }
    Ok(())
}

fn evaluate_detector(args: &Args, weights: &Path) -> anyhow::Result<()> {
    args.compute.set_threads();
    let detector = Detector::load(weights, args.compute.device()?)?;
    let loader = open_loader(args, &detector)?;
    let progress = progress(loader.dataset().len());
    let evaluator = detector.collect(&loader, &progress)?;
    progress.finish_and_clear();
    let (stats, curves) = evaluator.finish_with_curves()?;
    print!("{}", table::table(&stats, &curves));
    let out = args.out.clone().unwrap_or_else(|| beside(weights));
    let subject = loader.dataset().name();
    let caption = format!("{subject}, detections from a score of {}", outcome::LEAST_SCORE);
    let evaluation = files::Evaluation { evaluator, stats, curves, subject };
    files::write(&out, &evaluation, args.threshold)?;
    outcome::write_contact_sheet(&detector, loader.dataset(), caption, &out.join("predictions.png"))?;
    println!("look at {}", out.join("{predictions,precision_recall,confusion}.png").display());
    Ok(())
}

fn open_loader(args: &Args, detector: &Detector) -> anyhow::Result<Loader> {
    let mut config = detector.config().data.clone();
    if let Some(data) = &args.data {
        config.source = data_source::source(data)?;
    }
    let dataset = data_source::open_split(&config, &args.split, detector.class_names())?;
    eprintln!("{}  {}", args.split, dataset.describe());
    let how = LoaderConfig { batch_size: args.batch, workers: args.workers, ..LoaderConfig::default() };
    Ok(Loader::new(dataset, Arc::new(EvalTransforms { side: config.side }), how)?)
}

/// A bar on a terminal, nothing elsewhere.
fn progress(images: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} images  {per_sec}  {eta} left");
    ProgressBar::new(images as u64).with_style(style.expect("a valid template"))
}

/// `eval` in the folder of the weights.
fn beside(weights: &Path) -> PathBuf {
    let folder = if weights.is_dir() { weights } else { weights.parent().unwrap_or(Path::new("")) };
    folder.join("eval")
}
