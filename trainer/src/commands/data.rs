//! `trainer data check`.

use std::{
    io::IsTerminal,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context;
use clap::Subcommand;
use guard_core::no_retain;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use trainer::{
    data::{Dataset, FileSet, Layout, check::Check},
    report::{
        Sheet, Tile,
        contact_sheet::{Truth, annotation_sheet},
    },
};

/// Images on the contact sheet.
const TILES: usize = 12;

/// Look through data sets.
#[derive(clap::Args)]
#[no_retain]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
#[no_retain]
enum Action {
    Check(CheckArgs),
}

/// Look through a data set before training: every annotation is checked and every image decoded.
///
/// Counts objects by class and size, lists what would be clipped, dropped or refused and why, finds unreadable,
/// missing and repeated images and pictures that are in two splits, and draws a contact sheet with the boxes. Pascal
/// VOC, COCO and YOLO data sets are told apart by what lies in the folder. Exit code 1 says that training would stop.
#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
#[no_retain]
struct CheckArgs {
    /// The folder, its data.yaml, an annotation file, or `coco:FOLDER`, `yolo:FOLDER`, `voc:FOLDER`
    path: String,
    /// Look through this split only; may be given several times [default: train, val and test]
    #[arg(long, value_name = "NAME")]
    split: Vec<String>,
    /// Print the report as JSON, with every fault
    #[arg(long)]
    json: bool,
    /// The contact sheet, a PNG
    #[arg(long, default_value = "runs/data-check.png", value_name = "FILE")]
    sheet: PathBuf,
    /// Check the annotations only: no pixels, no contact sheet
    #[arg(long, conflicts_with = "sheet")]
    no_decode: bool,
}

const EXAMPLES: &str = "\
Examples:
  trainer data check BCCD                        everything, and runs/data-check.png
  trainer data check coco2017 --split val        one split
  trainer data check coco2017 --no-decode        the annotations only, in seconds
  trainer data check data.yaml --json > report.json";

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Action::Check(args) = args.action;
    check(&args)
}

fn check(args: &CheckArgs) -> anyhow::Result<ExitCode> {
    let layout = Layout::detect(&args.path)?;
    let mut check = Check::new(&layout);
    let mut shown = None;
    for split in check.splits(&args.split) {
        let Some(set) = check.read(&split) else { continue };
        if args.no_decode {
            continue;
        }
        let bar = progress(&split, set.len());
        check.decode(&set, &|| bar.inc(1));
        bar.finish_and_clear();
        shown = shown.or(Some(set));
    }
    let report = check.finish();
    match args.json {
        true => println!("{}", serde_json::to_string_pretty(&report).context("the report as JSON")?),
        false => print!("{report}"),
    }
    if let Some(set) = shown.filter(|set| !set.is_empty()) {
        write_sheet(&args.sheet, &set)?;
    }
    Ok(if report.is_broken() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn progress(split: &str, images: usize) -> ProgressBar {
    let target = match std::io::stderr().is_terminal() {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let style = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len} images, {per_sec}, {eta} left");
    let bar = ProgressBar::with_draw_target(Some(images as u64), target).with_message(split.to_owned());
    bar.with_style(style.expect("a valid template"))
}

/// Draws images from the whole set, the busiest first.
fn write_sheet(path: &Path, set: &FileSet) -> anyhow::Result<()> {
    let tiles: Vec<Tile> = chosen(set)?.into_iter().filter_map(|index| tile(set, index)).collect();
    if tiles.is_empty() {
        eprintln!("no contact sheet: no image of {} can be decoded", set.name());
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    let sheet = Sheet {
        title: "Images and their annotations".to_owned(),
        caption: format!("{}, the busiest image first", set.name()),
        class_names: set.class_names().to_vec(),
        columns: 4,
        tiles,
    };
    annotation_sheet(path, &sheet)?;
    eprintln!("look at {}", path.display());
    Ok(())
}

/// The busiest image, then images spread evenly over the set.
fn chosen(set: &FileSet) -> anyhow::Result<Vec<usize>> {
    let mut objects = Vec::with_capacity(set.len());
    for index in 0..set.len() {
        objects.push(set.annotations(index)?.labels.len());
    }
    let busiest = (0..set.len()).max_by_key(|&index| (objects[index], std::cmp::Reverse(index)));
    let tiles = set.len().min(TILES);
    let spread = (0..tiles).map(|i| i * set.len() / tiles).filter(|&index| Some(index) != busiest);
    Ok(busiest.into_iter().chain(spread).take(TILES).collect())
}

/// An image with its boxes; `None` when it cannot be decoded, which the report says.
fn tile(set: &FileSet, index: usize) -> Option<Tile> {
    let sample = set.sample(index).ok()?;
    let truth = sample.labels.iter().zip(&sample.boxes_xyxy);
    let truth: Vec<Truth> =
        truth.map(|(&label, &box_xyxy)| Truth { class: label as usize, box_xyxy }).collect();
    let caption = format!("{}: {} objects", set.caption(index), truth.len());
    Some(Tile { image: sample.image, caption, truth, detections: Vec::new() })
}
