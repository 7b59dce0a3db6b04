//! `trainer bench step`: the training step.

use std::{process::ExitCode, time::Instant};

use guard_core::no_retain;
use rand::RngExt;
use rand_pcg::Pcg64;
use serde_json::{Map, Value, json};
use trainer::{
    config::{DataSource, Preset, TrainConfig},
    data::Batch,
    train::{Session, StepPhases},
};

use super::host::{Watch, peak_rss_mb, rss_mb, synchronize};
use super::summary::{median, summary};
use crate::commands::device::parse_device;

/// Measure the training step of a published recipe on random images: forward, criterion, backward, clipping and AdamW,
/// average of the weights.
///
/// It is the step that `trainer train` runs, from the batch in memory to the report of the memory guard.
#[derive(clap::Args)]
#[no_retain]
pub struct Args {
    /// Recipe; `trainer presets` lists them
    #[arg(long, value_name = "NAME", default_value = "rtdetrv2_r18vd")]
    preset: String,
    /// Side of the images in pixels, a multiple of 32
    #[arg(long, default_value_t = 320)]
    size: u32,
    /// Images of a step
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1024))]
    batch: u32,
    /// Objects of an image
    #[arg(long, default_value_t = 7)]
    gts: usize,
    /// Measured steps
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    iters: u32,
    /// Steps before that
    #[arg(long, default_value_t = 3)]
    warm: u32,
    /// Threads that libtorch computes with
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(i32).range(1..=1024))]
    threads: i32,
    /// `auto`, `cpu` or `cuda:N`
    #[arg(long, default_value = "auto")]
    device: String,
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    tch::set_num_threads(args.threads);
    let watch = Watch::start();
    let preset = Preset::find(&args.preset)?;
    let mut config = preset.config(DataSource::SHAPES);
    config.data.side = args.size;
    config.check()?;
    let facts = measure(&args, config)?;
    println!("{}", watch.line("train_step", preset.name, facts));
    Ok(ExitCode::SUCCESS)
}

#[no_retain]
fn measure(args: &Args, config: TrainConfig) -> anyhow::Result<Value> {
    let device = parse_device(&args.device)?;
    let batch = random_batch(args, config.model.num_classes);
    let classes = (0..config.model.num_classes).map(|class| class.to_string()).collect();
    let mut session = Session::new(config, classes, 1000, device)?;
    let before = rss_mb();
    let (mut seconds, mut phases, mut last_loss) = (Vec::new(), Vec::new(), 0.0);
    for iteration in 0..args.warm + args.iters {
        let start = Instant::now();
        let report = session.step(&batch)?;
        synchronize(device);
        if iteration >= args.warm {
            seconds.push(start.elapsed().as_secs_f64());
            phases.push(report.phases);
        }
        last_loss = report.loss;
    }
    Ok(json!({
        "device": format!("{device:?}"),
        "size": args.size,
        "batch": args.batch,
        "gts_per_image": args.gts,
        "step_s": summary(&seconds),
        "phases_median_s": medians(&phases)?,
        "images_per_s": f64::from(args.batch) / median(&seconds),
        "rss_before_mb": before,
        "rss_after_mb": rss_mb(),
        "peak_rss_mb": peak_rss_mb(),
        "last_loss": last_loss,
    }))
}

/// The median of every phase by its name.
fn medians(phases: &[StepPhases]) -> anyhow::Result<Value> {
    let rows = phases.iter().map(serde_json::to_value).collect::<Result<Vec<_>, _>>()?;
    let names = rows.first().and_then(Value::as_object).map(|row| row.keys().cloned().collect::<Vec<_>>());
    let of = |name: &str| rows.iter().filter_map(|row| row[name].as_f64()).collect::<Vec<_>>();
    let medians = names.unwrap_or_default().into_iter().map(|name| (name.clone(), median(&of(&name)).into()));
    Ok(medians.collect::<Map<_, _>>().into())
}

/// Noise with boxes of 5 to 35 % of a side.
fn random_batch(args: &Args, classes: i64) -> Batch {
    let mut rng = Pcg64::new(0, 0);
    let images = args.batch as usize;
    let pixels = images * 3 * (args.size * args.size) as usize;
    let mut each = |range: std::ops::Range<f32>| rng.random_range(range);
    let mut cxcywh = || [each(0.2..0.8), each(0.2..0.8), each(0.05..0.35), each(0.05..0.35)];
    let boxes_cxcywh = (0..images).map(|_| (0..args.gts).map(|_| cxcywh()).collect()).collect();
    let labels = (0..images).map(|_| (0..args.gts).map(|_| rng.random_range(0..classes)).collect()).collect();
    Batch {
        pixels: (0..pixels).map(|_| rng.random()).collect(),
        side: args.size,
        labels,
        boxes_cxcywh,
        image_ids: (0..images as i64).collect(),
        orig_sizes: vec![[args.size; 2]; images],
    }
}
