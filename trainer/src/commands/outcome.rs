//! What a finished run leaves for the eye: three pictures and one line.

use anyhow::Context;
use guard_core::no_retain;
use trainer::{
    data::{Batch, EvalTransforms, Key, Sample, Transform},
    report::{
        LossCurves, MemoryCurve, Record, RunDir, Sheet, Tile,
        contact_sheet::{Detection, Truth, contact_sheet},
        loss_png, memory_png,
        metrics::{self, EpochRecord},
    },
    train::{Checkpoint, Run},
};

/// Images on the contact sheet.
const TILES: usize = 12;

/// Least score of a detection on the contact sheet.
const LEAST_SCORE: f64 = 0.4;

/// Writes loss.png, memory.png and predictions.png.
pub fn write_pictures(run: &mut Run) -> anyhow::Result<()> {
    let records = metrics::read(&run.dir.metrics())?;
    loss_png(&run.dir.loss_png(), &LossCurves::from_records(&records))?;
    memory_png(&run.dir.memory_png(), &MemoryCurve::from_records(&records))?;
    let best = Checkpoint::load(&run.dir.best_checkpoint())?;
    run.session.load_averaged(&best)?;
    write_contact_sheet(run)
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
pub fn final_line(dir: &RunDir) -> anyhow::Result<String> {
    let records = metrics::read(&dir.metrics())?;
    let epochs = records.iter().filter_map(|r| if let Record::Epoch(epoch) = r { Some(epoch) } else { None });
    let best = epochs.max_by(|a, b| a.ap.total_cmp(&b.ap)).context("the run has no finished epoch")?;
    let EpochRecord { ap, ap50, epoch, .. } = best;
    Ok(format!(
        "AP {ap:.3}  AP50 {ap50:.3}  (epoch {})  |  {}  |  look at {}",
        epoch + 1,
        MemoryCurve::from_records(&records).verdict(),
        dir.path().join("{predictions,loss,memory}.png").display(),
    ))
}

#[no_retain]
fn write_contact_sheet(run: &Run) -> anyhow::Result<()> {
    let _no_grad = tch::no_grad_guard();
    let mut tiles = Vec::new();
    for index in spread(run.val_set.len()) {
        tiles.push(tile(run, index)?);
    }
    let sheet = Sheet {
        title: "Predictions against ground truth".to_owned(),
        caption: format!("{}, best epoch, detections from a score of {LEAST_SCORE}", run.val_set.name()),
        class_names: run.val_set.class_names().to_vec(),
        columns: 4,
        tiles,
    };
    Ok(contact_sheet(&run.dir.predictions_png(), &sheet)?)
}

/// Indices spread evenly over a set.
fn spread(len: usize) -> impl Iterator<Item = usize> {
    let tiles = len.min(TILES);
    (0..tiles).map(move |i| i * len / tiles)
}

fn tile(run: &Run, index: usize) -> anyhow::Result<Tile> {
    let sample = run.val_set.sample(index)?;
    let image = sample.image.clone();
    let truth = sample.labels.iter().zip(&sample.boxes_xyxy);
    let truth = truth.map(|(&label, &box_xyxy)| Truth { class: label as usize, box_xyxy }).collect();
    let detections = detect(run, sample, index)?;
    Ok(Tile { image, caption: run.val_set.caption(index), truth, detections })
}

fn detect(run: &Run, sample: Sample, index: usize) -> anyhow::Result<Vec<Detection>> {
    let key = Key { seed: 0, epoch: 0, index: index as u64 };
    let batch = Batch::new(vec![EvalTransforms { side: run.session.side() }.apply(sample, key)]);
    let predictions = run.session.averaged().forward_eval(&batch.images(run.session.device()));
    let found = run.postprocessor.detect(&predictions, &batch.sizes_wh())?;
    let kept = found.into_iter().flatten().filter(|detection| detection.score >= LEAST_SCORE);
    Ok(kept
        .map(|detection| Detection {
            class: detection.label as usize,
            score: detection.score as f32,
            box_xyxy: detection.box_xyxy.map(|v| v as f32),
        })
        .collect())
}
