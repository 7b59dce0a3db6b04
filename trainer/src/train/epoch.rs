//! The loop over the batches of an epoch, and the evaluation after it.

use std::sync::atomic::{AtomicBool, Ordering};

use guard_core::{GraphFree, no_retain};
use tch::Device;

use super::{Session, StepReport, TrainError};
use crate::{
    data::{Annotations, DataError, Dataset, Loader, TruthObject},
    eval::{CocoEvaluator, CocoStats, GroundTruthImage, GroundTruthObject, PostProcessor},
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

/// COCO statistics of `model` on all images of `loader`; detections are kept as plain numbers.
#[no_retain]
pub fn evaluate(
    model: &RtDetr,
    loader: &Loader,
    dataset: &dyn Dataset,
    postprocessor: &PostProcessor,
    device: Device,
) -> Result<CocoStats, TrainError> {
    let _no_grad = tch::no_grad_guard();
    let mut evaluator = ground_truth(dataset)?;
    for batch in loader.epoch(0) {
        let batch = batch?;
        let predictions = model.forward_eval(&batch.images(device));
        let detections = postprocessor.detect(&predictions, &batch.sizes_wh())?;
        for (&image_id, detections) in batch.image_ids.iter().zip(&detections) {
            evaluator.add(image_id as u64, detections)?;
        }
    }
    Ok(evaluator.finish()?)
}

fn ground_truth(dataset: &dyn Dataset) -> Result<CocoEvaluator, TrainError> {
    let images = (0..dataset.len()).map(|index| ground_truth_image(dataset, index));
    let categories = CocoEvaluator::categories(dataset.class_names());
    Ok(CocoEvaluator::new(categories, images.collect::<Result<_, DataError>>()?)?)
}

fn ground_truth_image(dataset: &dyn Dataset, index: usize) -> Result<GroundTruthImage, DataError> {
    let Annotations { image_id, size: [width, height], .. } = dataset.annotations(index)?;
    let object = |object: TruthObject| GroundTruthObject {
        label: object.label,
        box_xyxy: object.box_xyxy,
        area: object.area,
        iscrowd: object.crowd,
    };
    let objects = dataset.truth(index)?.into_iter().map(object).collect();
    Ok(GroundTruthImage { image_id: image_id as u64, size_wh: (width, height), objects })
}
