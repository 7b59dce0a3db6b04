//! What an evaluation leaves in its folder.

use std::{fs, io, path::Path};

use anyhow::Context;
use guard_core::no_retain;
use serde::Serialize;
use trainer::{
    eval::{CocoEvaluator, CocoStats, ConfusionMatrix, PrecisionRecall},
    report::{
        ConfusionTable, PrecisionFigure,
        atomic::write_file,
        confusion_png,
        plots::{BestPoint, PrecisionCurve},
        precision_recall_png,
    },
};

/// Overlap from which a detection and an object belong together in the confusion matrix.
const CONFUSION_IOU: f64 = 0.5;

/// A finished evaluation.
#[no_retain]
pub struct Evaluation {
    /// Ground truth and detections.
    pub evaluator: CocoEvaluator,
    /// The numbers.
    pub stats: CocoStats,
    /// The curves behind them.
    pub curves: PrecisionRecall,
    /// What was evaluated.
    pub subject: String,
}

/// All numbers, for machines.
#[derive(Serialize)]
struct Metrics<'a> {
    subject: &'a str,
    images: usize,
    #[serde(flatten)]
    stats: &'a CocoStats,
    precision_recall: &'a PrecisionRecall,
    confusion: &'a ConfusionMatrix,
}

/// Writes the files into `folder`; those of an earlier evaluation are replaced.
pub fn write(folder: &Path, evaluation: &Evaluation, threshold: f64) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    let Evaluation { evaluator, stats, curves, subject } = evaluation;
    let confusion = evaluator.confusion(CONFUSION_IOU, threshold)?;
    let images = evaluator.num_images();
    let metrics = Metrics { subject, images, stats, precision_recall: curves, confusion: &confusion };
    write_json(&folder.join("metrics.json"), &metrics)?;
    write_json(&folder.join("results.json"), &evaluator.results().collect::<Vec<_>>())?;
    write_json(&folder.join("ground_truth.json"), &evaluator.ground_truth())?;
    confusion_png(&folder.join("confusion.png"), &table(&confusion, subject))?;
    // Without an object there is no curve.
    if !curves.classes.is_empty() {
        precision_recall_png(&folder.join("precision_recall.png"), &figure(curves, subject))?;
    }
    Ok(())
}

fn write_json(path: &Path, value: &impl Serialize) -> anyhow::Result<()> {
    Ok(write_file(path, |file| serde_json::to_writer(file, value).map_err(io::Error::from))?)
}

fn table(confusion: &ConfusionMatrix, subject: &str) -> ConfusionTable {
    let ConfusionMatrix { iou_threshold, score_threshold, .. } = confusion;
    let limits = format!("detections from a score of {score_threshold}, IoU from {iou_threshold}");
    ConfusionTable {
        subject: format!("{subject}, {limits}"),
        class_names: confusion.classes.clone(),
        counts: confusion.counts.clone(),
    }
}

fn figure(curves: &PrecisionRecall, subject: &str) -> PrecisionFigure {
    let curve = |class: &trainer::eval::ClassCurve| PrecisionCurve {
        class: class.class,
        name: class.name.clone(),
        precision: class.precision.clone(),
        best: class.best_f1().map(|best| BestPoint {
            recall: best.recall,
            precision: best.precision,
            score: best.score,
        }),
    };
    PrecisionFigure { subject: subject.to_owned(), classes: curves.classes.iter().map(curve).collect() }
}
