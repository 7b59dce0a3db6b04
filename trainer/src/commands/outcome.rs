//! What a finished run leaves for the eye: three pictures and one line.

use std::path::Path;

use anyhow::Context;
use guard_core::no_retain;
use trainer::{
    data::{Dataset, Sample},
    eval::ClassMap,
    predict::Detector,
    report::{
        LossCurves, MemoryCurve, Record, RunDir, Sheet, Tile,
        contact_sheet::{Detection, Truth, contact_sheet},
        loss_png, memory_png,
        metrics::{self, EpochRecord},
    },
    train::Run,
};

/// Images on the contact sheet.
const TILES: usize = 12;

/// Least score of a detection on the contact sheet.
pub const LEAST_SCORE: f64 = 0.4;

/// Writes loss.png, memory.png and predictions.png; `records` is the log of the run.
pub fn write_pictures(run: &Run, records: &[Record]) -> anyhow::Result<()> {
    loss_png(&run.dir.loss_png(), &LossCurves::from_records(records))?;
    memory_png(&run.dir.memory_png(), &MemoryCurve::from_records(records))?;
    let detector = Detector::load(&run.dir.best_checkpoint(), run.session.device())?;
    let dataset = run.val.dataset();
    let caption = format!("{}, best epoch, detections from a score of {LEAST_SCORE}", dataset.name());
    write_contact_sheet(&detector, dataset, caption, &run.dir.predictions_png())
}

/// Seconds that the earlier parts of the run took.
pub fn seconds_so_far(dir: &RunDir) -> anyhow::Result<f64> {
    if !dir.metrics().exists() {
        return Ok(0.0);
    }
    let seconds = metrics::read(&dir.metrics())?.into_iter().rev().find_map(|record| match record {
        Record::Step(step) => Some(step.seconds),
        Record::Epoch(epoch) => Some(epoch.seconds),
        Record::Run(_) => None,
    });
    Ok(seconds.unwrap_or(0.0))
}

/// The best epoch, the memory verdict and where to look.
pub fn final_line(dir: &RunDir, records: &[Record]) -> anyhow::Result<String> {
    let epochs = records.iter().filter_map(|r| if let Record::Epoch(epoch) = r { Some(epoch) } else { None });
    let best = epochs.max_by(|a, b| a.ap.total_cmp(&b.ap)).context("the run has no finished epoch")?;
    let EpochRecord { ap, ap50, epoch, .. } = best;
    Ok(format!(
        "AP {ap:.3}  AP50 {ap50:.3}  (epoch {})  |  {}  |  look at {}",
        epoch + 1,
        MemoryCurve::from_records(records).verdict(),
        dir.path().join("{predictions,loss,memory}.png").display(),
    ))
}

/// Draws a few images of `dataset` with their objects and what `detector` finds.
#[no_retain]
pub fn write_contact_sheet(
    detector: &Detector,
    dataset: &dyn Dataset,
    caption: String,
    path: &Path,
) -> anyhow::Result<()> {
    let mut tiles = Vec::new();
    for index in spread(dataset.len()) {
        tiles.push(tile(detector, dataset, index)?);
    }
    let title = "Predictions against ground truth".to_owned();
    let class_names = dataset.class_names().to_vec();
    Ok(contact_sheet(path, &Sheet { title, caption, class_names, columns: 4, tiles })?)
}

/// Indices spread evenly over a set.
fn spread(len: usize) -> impl Iterator<Item = usize> {
    let tiles = len.min(TILES);
    (0..tiles).map(move |i| i * len / tiles)
}

fn tile(detector: &Detector, dataset: &dyn Dataset, index: usize) -> anyhow::Result<Tile> {
    let Sample { image, labels, boxes_xyxy, .. } = dataset.sample(index)?;
    let truth = labels.iter().zip(&boxes_xyxy);
    let truth = truth.map(|(&label, &box_xyxy)| Truth { class: label as usize, box_xyxy }).collect();
    let mut found = detector.detect(&[&image])?.remove(0);
    found.retain(|detection| detection.score >= LEAST_SCORE);
    ClassMap::by_name(detector.class_names(), dataset.class_names())?.relabel(&mut found);
    let detections = found.iter().map(Detection::from).collect();
    Ok(Tile { image, caption: dataset.caption(index), truth, detections })
}
