//! The loop over the batches of an epoch, and the evaluation after it.

use std::sync::atomic::{AtomicBool, Ordering};

use guard_core::{GraphFree, no_retain};
use indicatif::ProgressBar;
use tch::Device;

use super::{Session, StepReport, TrainError};
use crate::{
    data::{Annotations, DataError, Dataset, Loader, TruthObject},
    eval::{
        Category, ClassMap, CocoEvaluator, CocoStats, Detection, GroundTruthImage, GroundTruthObject,
        PostProcessor,
    },
    model::RtDetr,
};

/// How an epoch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[no_retain]
pub enum EpochEnd {
    /// Every batch was seen.
    Finished,
    /// The stop flag was raised; the session stands after the last whole step.
    Stopped,
}

/// Hears of every step. A trait rather than a closure, so that what it keeps is checked.
pub trait StepObserver: GraphFree {
    /// Takes the numbers of a step.
    ///
    /// # Errors
    /// What ends the run, such as a full disk.
    fn step(&mut self, report: &StepReport) -> Result<(), TrainError>;
}

/// Trains on the batches that the current epoch still has, and tells `observer` the numbers of every step.
#[no_retain]
pub fn train_one_epoch(
    session: &mut Session,
    loader: &Loader,
    stop: &AtomicBool,
    observer: &mut dyn StepObserver,
) -> Result<EpochEnd, TrainError> {
    let (epoch, done) = (session.counters.epoch, session.counters.step_in_epoch);
    for batch in loader.epoch_from(epoch, done as usize) {
        let record = session.step(&batch?)?;
        observer.step(&record)?;
        if stop.load(Ordering::Relaxed) {
            return Ok(EpochEnd::Stopped);
        }
    }
    Ok(EpochEnd::Finished)
}

/// COCO statistics of `model` on all images of `loader`.
///
/// # Errors
/// As [`collect_detections`].
pub fn evaluate(
    model: &RtDetr,
    loader: &Loader,
    postprocessor: &PostProcessor,
    device: Device,
) -> Result<CocoStats, TrainError> {
    let classes = ClassMap::identity(loader.dataset().class_names().len());
    let collected =
        collect_detections(model, loader, postprocessor, device, &classes, &ProgressBar::hidden())?;
    Ok(collected.finish()?)
}

/// What `model` finds on all images of `loader`, beside their ground truth; kept as plain numbers, so that tensor
/// memory does not grow with the data set.
///
/// `classes` turns the model's labels into those of the data set; the evaluator counts by the data set's own category
/// and image ids. `progress` moves on with every image.
///
/// # Errors
/// An image or annotation that cannot be read; a value that is not finite, from a model that has diverged.
#[no_retain]
pub fn collect_detections(
    model: &RtDetr,
    loader: &Loader,
    postprocessor: &PostProcessor,
    device: Device,
    classes: &ClassMap,
    progress: &ProgressBar,
) -> Result<CocoEvaluator, TrainError> {
    let _no_grad = tch::no_grad_guard();
    let dataset = loader.dataset();
    let mut evaluator = ground_truth(dataset)?;
    for batch in loader.epoch(0) {
        let batch = batch?;
        let predictions = model.forward_eval(&batch.images(device));
        let mut detections = postprocessor.detect(&predictions, &batch.sizes_wh())?;
        for (&image_id, detections) in batch.image_ids.iter().zip(&mut detections) {
            classes.relabel(detections);
            number_as(dataset, detections);
            evaluator.add(image_id as u64, detections)?;
        }
        progress.inc(batch.len() as u64);
    }
    Ok(evaluator)
}

fn ground_truth(dataset: &dyn Dataset) -> Result<CocoEvaluator, TrainError> {
    let images = (0..dataset.len()).map(|index| ground_truth_image(dataset, index));
    let categories = (0..).zip(dataset.class_names());
    let categories =
        categories.map(|(label, name)| Category { id: dataset.category_id(label), name: name.clone() });
    Ok(CocoEvaluator::new(categories.collect(), images.collect::<Result<_, DataError>>()?)?)
}

/// Replaces class indices by the data set's own numbers, so that results can be compared with its files.
fn number_as(dataset: &dyn Dataset, detections: &mut [Detection]) {
    detections.iter_mut().for_each(|detection| detection.label = dataset.category_id(detection.label));
}

fn ground_truth_image(dataset: &dyn Dataset, index: usize) -> Result<GroundTruthImage, DataError> {
    let Annotations { image_id, size: [width, height], .. } = dataset.annotations(index)?;
    let object = |object: TruthObject| GroundTruthObject {
        label: dataset.category_id(object.label),
        box_xyxy: object.box_xyxy,
        area: object.area,
        iscrowd: object.crowd,
    };
    let objects = dataset.truth(index)?.into_iter().map(object).collect();
    Ok(GroundTruthImage { image_id: image_id as u64, size_wh: (width, height), objects })
}
