//! `trainer bench forward`: what evaluation and prediction spend their time on.

use std::{process::ExitCode, time::Instant};

use guard_core::no_retain;
use serde_json::{Value, json};
use tch::{Device, Kind, Tensor};
use trainer::{
    config::Preset,
    eval::{PostProcessor, PostProcessorConfig},
    model::{RtDetr, RtDetrConfig},
    train::ema,
};

use super::host::{Watch, peak_rss_mb, synchronize};
use super::summary::summary;
use crate::commands::device::parse_device;

/// Runs before the measured ones.
const WARM: u32 = 6;

/// Measure a forward pass in evaluation mode, and the post-processing of its outputs, on random images.
#[derive(clap::Args)]
#[no_retain]
pub struct Args {
    /// Recipe; `trainer presets` lists them
    #[arg(long, value_name = "NAME", default_value = "rtdetrv2_r18vd")]
    preset: String,
    /// Side of the images in pixels, a multiple of 32
    #[arg(long, default_value_t = 640)]
    size: u32,
    /// Images of a pass
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    batch: u32,
    /// Measured passes
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    iters: u32,
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
    let facts = measure(&args, &preset.model())?;
    println!("{}", watch.line("eval_forward", preset.name, facts));
    Ok(ExitCode::SUCCESS)
}

fn measure(args: &Args, config: &RtDetrConfig) -> anyhow::Result<Value> {
    let device = parse_device(&args.device)?;
    let side = i64::from(args.size);
    config.check_image_size(side, side)?;
    tch::manual_seed(0);
    let (_store, model) = ema::build(config, device)?;
    let images = Tensor::rand([i64::from(args.batch), 3, side, side], (Kind::Float, device));
    let eval = passes(args, &model, &images, device)?;
    Ok(json!({
        "device": format!("{device:?}"),
        "size": args.size,
        "batch": args.batch,
        "peak_rss_mb": peak_rss_mb(),
        "eval": eval,
    }))
}

/// Seconds of the passes, and of the post-processing to numbers on the host.
#[no_retain]
fn passes(args: &Args, model: &RtDetr, images: &Tensor, device: Device) -> anyhow::Result<Value> {
    let _no_grad = tch::no_grad_guard();
    let postprocessor = PostProcessor::new(PostProcessorConfig::default());
    let sizes = vec![(640, 480); args.batch as usize];
    let (mut forward, mut postprocess) = (Vec::new(), Vec::new());
    for pass in 0..WARM + args.iters {
        let start = Instant::now();
        let predictions = model.forward_eval(images);
        synchronize(device);
        let middle = Instant::now();
        std::hint::black_box(postprocessor.detect(&predictions, &sizes)?);
        if pass >= WARM {
            forward.push((middle - start).as_secs_f64());
            postprocess.push(middle.elapsed().as_secs_f64());
        }
    }
    Ok(json!({ "forward_s": summary(&forward), "postprocess_s": summary(&postprocess) }))
}
