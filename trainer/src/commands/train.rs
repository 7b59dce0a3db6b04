//! `trainer train`.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use anyhow::Context;
use guard_core::no_retain;
use tch::Device;
use trainer::{
    config::TrainConfig,
    data::{Dataset, EvalTransforms, Loader, LoaderConfig},
    eval::PostProcessor,
    report::{Existing, MetricsLog, Progress, RunDir, atomic::write_file, metrics, units},
    train::{Amp, Checkpoint, Run, RunEnd, Session},
    weights::WeightsFile,
};

use super::{
    config_source::ConfigArgs,
    data_source::{self, Splits},
    device::ComputeArgs,
    interrupt, outcome,
};

/// The steps between two progress lines where there is no terminal.
const PLAIN_LINE_EVERY: u64 = 25;

/// Train a detector and leave weights, curves and pictures in a run directory.
///
/// Without arguments it trains on `shapes`, an embedded set of rendered scenes, sized for two cores: about ten minutes.
/// With `--data PATH` it reads a Pascal VOC, COCO or YOLO data set with the splits train and val, and says which it
/// found; `trainer data check PATH` looks through it first.
///
/// The run directory gets config.toml (everything that decides the outcome), metrics.jsonl (every step and epoch),
/// last.safetensors (go on with --resume), best.safetensors (averaged weights under the official keys), loss.png,
/// memory.png and predictions.png. Ctrl-C stops after the step and saves; nothing is lost.
#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
#[no_retain]
pub struct Args {
    /// `shapes`, or a Pascal VOC, COCO or YOLO data set: its folder, its data.yaml, or `coco:FOLDER`, `yolo:FOLDER`,
    /// `voc:FOLDER` where a folder holds several [default: shapes, or what --config says]
    #[arg(long, value_name = "shapes|PATH")]
    data: Option<String>,
    /// Run directory [default: runs/NAME, numbered when it is taken]
    #[arg(long, value_name = "FOLDER")]
    run: Option<PathBuf>,
    /// Go on with the run in --run where it stopped, on the same data
    #[arg(long, requires = "run", conflicts_with = "data")]
    resume: bool,
    /// Replace the run that --run already holds
    #[arg(long, conflicts_with = "resume")]
    overwrite: bool,
    /// Start from these weights: all that fit by name and shape are loaded, the others are listed
    ///
    /// Whatever `trainer convert` reads: a checkpoint of this trainer, an official .pth, Hugging Face safetensors, a backbone
    /// alone.
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    weights: Option<PathBuf>,
    #[command(flatten)]
    from: ConfigArgs,
    /// Epochs of the run
    #[arg(long)]
    epochs: Option<u64>,
    /// Images of a training step
    #[arg(long)]
    batch_size: Option<usize>,
    /// Learning rate after the warm-up
    #[arg(long)]
    lr: Option<f64>,
    /// Side in pixels that images are resized to, a multiple of 32
    #[arg(long)]
    side: Option<u32>,
    /// Seed of weights, order, augmentation and denoising noise
    #[arg(long)]
    seed: Option<u64>,
    /// Precision of the forward pass: `off`, `bf16`, or `f16` with scaled gradients (CUDA only)
    #[arg(long, value_enum)]
    amp: Option<Amp>,
    /// End the run after the epoch in which this many minutes have passed
    #[arg(long, value_name = "MINUTES", value_parser = minutes)]
    max_minutes: Option<Duration>,
    #[command(flatten)]
    compute: ComputeArgs,
    /// Threads that read and prepare images; they do not change the result
    #[arg(long, default_value_t = 1)]
    workers: usize,
}

impl Args {
    fn data(&self) -> &str {
        self.data.as_deref().unwrap_or("shapes")
    }
}

fn minutes(text: &str) -> Result<Duration, String> {
    let duration =
        text.parse().ok().and_then(|minutes: f64| Duration::try_from_secs_f64(minutes * 60.0).ok());
    duration.ok_or_else(|| "expected a number of minutes, at least 0".to_owned())
}

const EXAMPLES: &str = "\
Examples:
  trainer train                                  the embedded shapes, to runs/shapes
  trainer train --data BCCD                      a folder of photographs and their annotations, to runs/BCCD
  trainer train --epochs 1 --run runs/try        a first look
  trainer train --run runs/shapes --resume       go on after Ctrl-C
  trainer train --config runs/a/config.toml --lr 1e-4 --run runs/b
  trainer train --preset rtdetrv2_r18vd --data photos
  trainer train --preset rtdetrv2_r18vd --weights rtdetrv2_r18vd_120e_coco.pth --data photos
  trainer train -c configs/rtdetrv2/rtdetrv2_r18vd_120e_coco.yml -u epoches=12 --data photos";

/// Runs the subcommand.
#[no_retain]
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let stop = interrupt::stop_flag()?;
    args.compute.set_threads();
    let mut run = prepare(&args)?;
    match run.fit(&stop)? {
        RunEnd::Interrupted => {
            let folder = run.dir.path().display();
            eprintln!("stopped; go on with: trainer train --run {folder} --resume");
            return Ok(ExitCode::from(interrupt::EXIT_INTERRUPTED));
        }
        RunEnd::TimeLimit => eprintln!("the time limit ended the run after a whole epoch"),
        RunEnd::Finished => {}
    }
    let records = metrics::read(&run.dir.metrics())?;
    outcome::write_pictures(&run, &records)?;
    println!("{}", outcome::final_line(&run.dir, &records)?);
    Ok(ExitCode::SUCCESS)
}

fn prepare(args: &Args) -> anyhow::Result<Run> {
    let checkpoint = args.resume.then(|| last_checkpoint(args)).transpose()?;
    let mut config = resolve_config(args, checkpoint.as_ref())?;
    let device = args.compute.device()?;
    let Splits { train: train_set, val: val_set } = data_source::open(&config.data)?;
    eprintln!("train  {}\nval    {}", train_set.describe(), val_set.describe());
    config.model.num_classes = val_set.class_names().len() as i64;
    let (train, val) = loaders(args, &config, train_set, val_set)?;
    let mut session =
        open_session(&config, &train, val.dataset().class_names(), device, checkpoint.as_ref())?;
    if let Some(weights) = &args.weights {
        start_from(&mut session, weights)?;
    }
    // Only now is a folder touched: no fault above may cost the run that it holds.
    let dir = open_run_dir(args, &config)?;
    let log = open_log(args, &dir, &session)?;
    let parameters = units::grouped(session.num_parameters() as u64);
    eprintln!(
        "model  RT-DETR v2, {parameters} parameters, on {device:?}; run directory {}",
        dir.path().display()
    );
    let postprocessor = PostProcessor::new(config.postprocessor());
    let seconds_before = outcome::seconds_so_far(&dir)?;
    let progress = Progress::new(config.epochs, PLAIN_LINE_EVERY);
    let time_limit = args.max_minutes;
    Ok(Run { session, train, val, postprocessor, dir, log, progress, time_limit, seconds_before })
}

fn last_checkpoint(args: &Args) -> anyhow::Result<Checkpoint> {
    let folder = args.run.clone().expect("--resume requires --run");
    let dir = RunDir::create(folder, Existing::Resume)?;
    Ok(Checkpoint::load(&dir.last_checkpoint())?)
}

/// Loads what fits, and says what does not.
fn start_from(session: &mut Session, weights: &Path) -> anyhow::Result<()> {
    let file = WeightsFile::read(weights)?;
    file.notes.iter().for_each(|note| eprintln!("note: {note}"));
    let report = session.start_from(&file.state)?;
    eprintln!("start  {}:\n{report}", weights.display());
    Ok(())
}

/// A seeded session, or the one that `checkpoint` holds.
fn open_session(
    config: &TrainConfig,
    train: &Loader,
    classes: &[String],
    device: Device,
    checkpoint: Option<&Checkpoint>,
) -> anyhow::Result<Session> {
    let steps = train.batches_per_epoch() as u64;
    let mut session = Session::new(config.clone(), classes.to_vec(), steps, device)?;
    if let Some(checkpoint) = checkpoint {
        session.resume(checkpoint)?;
    }
    Ok(session)
}

/// The run directory with the resolved configuration in it.
fn open_run_dir(args: &Args, config: &TrainConfig) -> anyhow::Result<RunDir> {
    let existing = match (args.resume, args.overwrite) {
        (true, _) => Existing::Resume,
        (_, true) => Existing::Overwrite,
        _ => Existing::Refuse,
    };
    let dir = RunDir::create(args.run.clone().unwrap_or_else(|| free_folder(args.data())), existing)?;
    let text = toml::to_string_pretty(config).context("the configuration as TOML")?;
    write_file(&dir.config(), |file| file.write_all(text.as_bytes()))?;
    Ok(dir)
}

fn open_log(args: &Args, dir: &RunDir, session: &Session) -> anyhow::Result<MetricsLog> {
    Ok(match args.resume {
        true => MetricsLog::resume(dir, session.counters().step)?,
        false => MetricsLog::create(dir)?,
    })
}

/// `runs/NAME`, or the first of `runs/NAME-2`, … that is free.
fn free_folder(data: &str) -> PathBuf {
    let name = data_source::run_name(data);
    let numbered = (2..).map(|n| format!("{name}-{n}"));
    let mut names = std::iter::once(name.clone()).chain(numbered).map(|n| Path::new("runs").join(n));
    names.find(|folder| !folder.exists()).expect("the numbers do not end")
}

/// The checkpoint's configuration, or what `--preset`, `--config` and the data say; the flags win.
fn resolve_config(args: &Args, checkpoint: Option<&Checkpoint>) -> anyhow::Result<TrainConfig> {
    let mut config = match checkpoint {
        Some(checkpoint) => checkpoint.meta.config.clone(),
        None => args.from.resolve(args.data.as_deref())?,
    };
    let set = |field: &mut u64, flag: Option<u64>| *field = flag.unwrap_or(*field);
    set(&mut config.epochs, args.epochs);
    set(&mut config.seed, args.seed);
    config.batch_size = args.batch_size.unwrap_or(config.batch_size);
    config.optimizer.lr = args.lr.unwrap_or(config.optimizer.lr);
    config.amp = args.amp.unwrap_or(config.amp);
    if let Some(side) = args.side {
        config.set_side(side);
    }
    config.check()?;
    Ok(config)
}

fn loaders(
    args: &Args,
    config: &TrainConfig,
    train: Arc<dyn Dataset>,
    val: Arc<dyn Dataset>,
) -> anyhow::Result<(Loader, Loader)> {
    let side = config.data.side;
    let transform = config.data.train_transforms();
    let ordered = LoaderConfig {
        batch_size: config.batch_size,
        seed: config.seed,
        workers: args.workers,
        ..LoaderConfig::default()
    };
    let shuffled = LoaderConfig { shuffle: true, drop_last: true, ..ordered.clone() };
    let train = Loader::new(train, Arc::new(transform), shuffled)?;
    let val = Loader::new(val, Arc::new(EvalTransforms { side }), ordered)?;
    Ok((train, val))
}
