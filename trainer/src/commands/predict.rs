//! `trainer predict`.

mod outputs;

use std::{
    io::Read,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::ensure;
use guard_core::no_retain;
use image::RgbImage;
use rayon::prelude::*;
use trainer::{
    data::{
        DataError,
        decode::{Upright, decode_bytes},
    },
    eval::Detection,
    predict::{Detector, Failure, ImageRecord, Input, find_inputs, refuse_overwriting},
    report::units,
};

use super::device::ComputeArgs;
use outputs::{Outputs, free_folder};

/// Detect objects on images: boxes drawn on copies of them, JSON and CSV.
///
/// Images are JPEG or PNG files, folders (with the folders below) or `-`, one image on standard input. The copies have
/// the size, the names and the formats of the images, and lie in --out; images are never overwritten. Boxes are in
/// pixels of the image as a viewer shows it, turned as its EXIF data say. An image that cannot be read is reported and
/// left out; the exit code is then 1.
#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
#[no_retain]
pub struct Args {
    /// The folder of a run (its best checkpoint), or a checkpoint
    #[arg(long, value_name = "RUN|FILE")]
    weights: PathBuf,
    /// Images, folders, or `-` alone
    #[arg(required = true, value_name = "IMAGE|FOLDER|-")]
    images: Vec<PathBuf>,
    /// Where the copies go [default: `predictions`, numbered when it is taken; no copies for `-`, --json or --csv]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Least score of a detection
    #[arg(long, default_value_t = 0.5, value_parser = super::share)]
    threshold: f64,
    /// Most detections of an image
    #[arg(long, default_value_t = 100)]
    top_k: usize,
    /// All detections as JSON; `-` is standard output [default for the image `-`: `-`]
    #[arg(long, value_name = "FILE|-")]
    json: Option<PathBuf>,
    /// All detections as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Images that go through the network together
    #[arg(long, default_value_t = 4, value_parser = super::at_least_one)]
    batch: usize,
    #[command(flatten)]
    compute: ComputeArgs,
}

const EXAMPLES: &str = "\
Examples:
  trainer predict --weights runs/BCCD photos/               pictures in predictions/
  trainer predict --weights runs/BCCD a.jpg b.png --out found --json found.json --csv found.csv
  curl -s https://example.org/a.jpg | trainer predict --weights runs/BCCD -";

/// Standard input or standard output.
const DASH: &str = "-";

/// Runs the subcommand.
#[no_retain]
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let from_stdin = args.images.iter().any(|path| path.as_os_str() == DASH);
    ensure!(
        !from_stdin || args.images.len() == 1,
        "`-` is one image on standard input: name nothing beside it"
    );
    let numbers_only = from_stdin || args.json.is_some() || args.csv.is_some();
    let out = args.out.clone().or_else(|| (!numbers_only).then(free_folder));
    let inputs = inputs(&args, from_stdin, out.as_deref())?;
    args.compute.set_threads();
    let detector = Detector::load(&args.weights, args.compute.device()?)?;
    let json = args.json.clone().or_else(|| from_stdin.then(|| PathBuf::from(DASH)));
    let mut outputs = Outputs::create(out, json.as_deref(), args.csv.as_deref())?;
    for inputs in inputs.chunks(args.batch) {
        predict(&args, &detector, inputs, &mut outputs)?;
    }
    let failed = outputs.failed();
    eprintln!("{}", outputs.finish()?);
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn inputs(args: &Args, from_stdin: bool, out: Option<&Path>) -> anyhow::Result<Vec<Input>> {
    if from_stdin {
        return Ok(vec![Input { path: DASH.into(), picture: "stdin.png".into() }]);
    }
    let inputs = find_inputs(&args.images, out)?;
    let pictures: Vec<PathBuf> = inputs.iter().filter_map(|input| Some(out?.join(&input.picture))).collect();
    let files = [&args.json, &args.csv].into_iter().flatten();
    refuse_overwriting(&inputs, pictures.iter().chain(files).map(PathBuf::as_path))?;
    eprintln!("{} to predict on", units::counted(inputs.len() as u64, "image"));
    Ok(inputs)
}

/// Reads, detects, draws and writes a few images at a time.
fn predict(args: &Args, detector: &Detector, inputs: &[Input], outputs: &mut Outputs) -> anyhow::Result<()> {
    let read: Vec<_> = inputs.par_iter().map(|input| read(&input.path)).collect();
    let images: Vec<&RgbImage> = read.iter().filter_map(|image| image.as_ref().ok()).collect();
    let mut found = detector.detect(&images)?.into_iter();
    let mut done = Vec::new();
    for (input, image) in inputs.iter().zip(read) {
        done.push((input, image.map(|image| (image, kept(args, found.next().expect("one list an image"))))));
    }
    let class_names = detector.class_names();
    let records = done.into_par_iter().map(|(input, image)| match image {
        Ok((image, found)) => {
            let mut record = ImageRecord::new(&input.path, &image, &found, class_names);
            record.picture = outputs.draw(input, image, &found, class_names)?;
            Ok(Ok(record))
        }
        Err(error) => {
            Ok(Err(Failure { file: input.path.to_string_lossy().into_owned(), error: error.to_string() }))
        }
    });
    let records: Vec<Result<ImageRecord, Failure>> = records.collect::<anyhow::Result<_>>()?;
    records.into_iter().try_for_each(|record| outputs.add(record))
}

/// The detections to report: they come by descending score.
fn kept(args: &Args, mut found: Vec<Detection>) -> Vec<Detection> {
    found.retain(|detection| detection.score >= args.threshold);
    found.truncate(args.top_k);
    found
}

fn read(path: &Path) -> Result<RgbImage, DataError> {
    let fault = |source| DataError::Read { path: path.into(), source };
    if path.as_os_str() != DASH {
        return decode_bytes(&std::fs::read(path).map_err(fault)?, path, Upright::Exif);
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).map_err(fault)?;
    decode_bytes(&bytes, Path::new("standard input"), Upright::Exif)
}
