//! `trainer bench data`: from image files to the tensors of a batch.

use std::{path::PathBuf, process::ExitCode, sync::Arc, time::Instant};

use guard_core::{memory, no_retain};
use serde_json::json;
use tch::Device;
use trainer::data::transforms::MultiScale;
use trainer::data::{
    Batch, Dataset, EvalTransforms, Key, Loader, LoaderConfig, Planes, Sample, TrainTransforms, Transform,
};

use super::pictures::Pictures;

/// Measure how fast a folder of images becomes training batches: decode, all official augmentations, resize, tensors.
///
/// The images need no annotations: each gets between 1 and 13 boxes drawn at random, so that the IoU crop has work.
/// Rates are per second of one epoch, and per second of processor time of the measuring thread, which other programs do
/// not lengthen: with `--workers 0` that is the rate of one core (Linux only, else null).
#[derive(clap::Args)]
#[no_retain]
pub struct Args {
    /// Folder with images
    #[arg(long, value_name = "FOLDER")]
    images: PathBuf,
    /// Side of the batches in pixels
    #[arg(long, default_value_t = 640, value_parser = clap::value_parser!(u32).range(1..=4096))]
    side: u32,
    /// Images of a batch
    #[arg(long, default_value_t = 4)]
    batch_size: usize,
    /// Epochs to measure
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=1000))]
    epochs: u64,
    /// Loader threads; 0 loads in the measuring thread
    #[arg(long, default_value_t = 0)]
    workers: usize,
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    tch::set_num_threads(1);
    let pictures = Arc::new(Pictures::open(&args.images)?);
    let fixed = TrainTransforms::official(args.side);
    let varied = TrainTransforms { multi_scale: Some(MultiScale::official(args.side)), ..fixed.clone() };
    let line = json!({
        "bench": "data",
        "images": pictures.len(),
        "side": args.side,
        "workers": args.workers,
        "fixed_side": rates(&args, &pictures, fixed.clone())?,
        "multi_scale": rates(&args, &pictures, varied)?,
        "stage_ms_per_image": stages(&pictures, &fixed)?,
        "rss_mb": memory::resident_bytes().map(|bytes| bytes >> 20),
    });
    println!("{line}");
    Ok(ExitCode::SUCCESS)
}

/// Images per second of the median and of the best epoch, and per second of processor time of all epochs.
#[no_retain]
fn rates(
    args: &Args,
    pictures: &Arc<Pictures>,
    transform: TrainTransforms,
) -> anyhow::Result<serde_json::Value> {
    let Args { batch_size, workers, .. } = *args;
    let config = LoaderConfig { batch_size, workers, shuffle: true, ..LoaderConfig::default() };
    let loader = Loader::new(Arc::clone(pictures) as Arc<dyn Dataset>, Arc::new(transform), config)?;
    let (mut rates, processor) = (Vec::new(), processor_seconds());
    for epoch in 0..args.epochs {
        let start = Instant::now();
        for batch in loader.epoch(epoch) {
            tensors(&batch?);
        }
        rates.push(pictures.len() as f64 / start.elapsed().as_secs_f64());
    }
    let images = pictures.len() as f64 * args.epochs as f64;
    let per_core =
        processor.zip(processor_seconds()).filter(|_| workers == 0).map(|(from, to)| images / (to - from));
    rates.sort_by(f64::total_cmp);
    let median = (rates[(rates.len() - 1) / 2] + rates[rates.len() / 2]) / 2.0;
    let best = rates[rates.len() - 1];
    Ok(json!({ "images_per_s_median": median, "images_per_s_best": best, "images_per_core_s": per_core }))
}

/// Processor time that this thread has used; `None` where the system does not tell.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: u64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds as f64 / 1e9)
}

/// Makes what a step reads, and drops it.
fn tensors(batch: &Batch) {
    drop(std::hint::black_box((batch.images(Device::Cpu), batch.targets(Device::Cpu))));
}

/// Mean milliseconds an image of each stage, by processor time where the system tells it; `resize` and `photometric`
/// are parts of `transforms`.
fn stages(pictures: &Pictures, official: &TrainTransforms) -> anyhow::Result<serde_json::Value> {
    let start = seconds();
    let samples = (0..pictures.len()).map(|index| pictures.sample(index)).collect::<Result<Vec<_>, _>>()?;
    let decode = milliseconds(start) / samples.len() as f64;
    let side = official.side;
    let plain = TrainTransforms::flips_only(side);
    let colours = TrainTransforms { photometric: official.photometric.clone(), ..plain };
    let resize = mean_time(&samples, &EvalTransforms { side });
    let batch = Batch::new(vec![official.apply(samples[0].clone(), key(0))]);
    let start = seconds();
    samples.iter().for_each(|_| tensors(&batch));
    Ok(json!({
        "decode": decode,
        "transforms": mean_time(&samples, official),
        "resize": resize,
        "photometric": mean_time(&samples, &colours) - resize,
        "tensors": milliseconds(start) / samples.len() as f64,
    }))
}

fn mean_time(samples: &[Sample], transform: &dyn Transform) -> f64 {
    let inputs: Vec<Sample> = samples.to_vec();
    let start = seconds();
    for (index, sample) in inputs.into_iter().enumerate() {
        let mut planes = Planes::with_capacity(transform.side(), 1);
        std::hint::black_box(transform.append(sample, Vec::new(), key(index as u64), &mut planes));
    }
    milliseconds(start) / samples.len() as f64
}

fn key(index: u64) -> Key {
    Key { seed: 0, epoch: 0, index }
}

fn milliseconds(start: f64) -> f64 {
    (seconds() - start) * 1000.0
}

/// Processor time, or that of the clock, since some fixed moment.
fn seconds() -> f64 {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    processor_seconds().unwrap_or_else(|| START.elapsed().as_secs_f64())
}
