//! A trained detector in memory.

use std::borrow::Borrow;
use std::path::{Path, PathBuf};

use guard_core::no_retain;
use image::RgbImage;
use indicatif::ProgressBar;
use tch::Device;

use super::PredictError;
use crate::{
    config::TrainConfig,
    data::{Batch, EvalTransforms, Example, Key, Loader, Sample, Transform},
    eval::{ClassMap, CocoEvaluator, Detection, PostProcessor},
    model::RtDetr,
    report::run_dir,
    train::{Checkpoint, TrainError, collect_detections, ema},
};

/// Finds objects on images, with the averaged weights of a run.
///
/// Nothing that a call computes outlives it: live tensor bytes are the same after every call.
///
/// ```no_run
/// use tch::Device;
/// use trainer::predict::Detector;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let detector = Detector::load("runs/shapes".as_ref(), Device::Cpu)?;
/// let image = image::open("scene.png")?.into_rgb8();
/// for detection in &detector.detect(&[image])?[0] {
///     let name = &detector.class_names()[detection.label as usize];
///     println!("{name} {:.2} at {:?}", detection.score, detection.box_xyxy);
/// }
/// # Ok(())
/// # }
/// ```
#[no_retain]
pub struct Detector {
    model: RtDetr,
    postprocessor: PostProcessor,
    class_names: Vec<String>,
    config: TrainConfig,
    device: Device,
}

impl Detector {
    /// Loads a checkpoint: the file, or the best one in the folder of a run (the last one when no best is there).
    ///
    /// # Errors
    /// `NoWeights` for a folder without a checkpoint; `Train` for a file that is not a checkpoint of this trainer.
    pub fn load(path: &Path, device: Device) -> Result<Self, PredictError> {
        Self::new(&Checkpoint::load(&weights_file(path)?)?, device)
    }

    /// The detector that `checkpoint` holds.
    ///
    /// # Errors
    /// `Train` when the weights are not those of the network in its configuration.
    pub fn new(checkpoint: &Checkpoint, device: Device) -> Result<Self, PredictError> {
        let config = checkpoint.meta.config.clone();
        let (mut store, model) = ema::build(&config.model, device).map_err(TrainError::from)?;
        checkpoint.load_averaged_into(&store)?;
        store.freeze();
        let postprocessor = PostProcessor::new(config.postprocessor());
        Ok(Self { model, postprocessor, class_names: checkpoint.meta.classes.clone(), config, device })
    }

    /// Names of the classes, by the label of a detection.
    pub fn class_names(&self) -> &[String] {
        &self.class_names
    }

    /// The configuration that the weights were trained with.
    pub fn config(&self) -> &TrainConfig {
        &self.config
    }

    /// What is found on each image, by descending score, in pixels of that image; boxes may reach outside it.
    ///
    /// The images may have any sizes; they go through the network together, resized to the side it was trained on.
    ///
    /// # Errors
    /// `EmptyImage` for an image without a pixel.
    pub fn detect<I: Borrow<RgbImage>>(&self, images: &[I]) -> Result<Vec<Vec<Detection>>, PredictError> {
        if images.is_empty() {
            return Ok(Vec::new());
        }
        let examples = images.iter().enumerate().map(|(index, image)| self.example(index, image.borrow()));
        let batch = Batch::new(examples.collect::<Result<_, _>>()?);
        let _no_grad = tch::no_grad_guard();
        let predictions = self.model.forward_eval(&batch.images(self.device));
        Ok(self.postprocessor.detect(&predictions, &batch.sizes_wh())?)
    }

    /// What is found on all images of `loader`, beside their ground truth; `progress` moves on with every image.
    ///
    /// Labels are those of the data: classes are matched by name.
    ///
    /// # Errors
    /// `Eval` when model and data have different classes; `Train` when an image cannot be read.
    pub fn collect(&self, loader: &Loader, progress: &ProgressBar) -> Result<CocoEvaluator, PredictError> {
        let classes = ClassMap::by_name(&self.class_names, loader.dataset().class_names())?;
        let Self { model, postprocessor, device, .. } = self;
        Ok(collect_detections(model, loader, postprocessor, *device, &classes, progress)?)
    }

    fn example(&self, index: usize, image: &RgbImage) -> Result<Example, PredictError> {
        let (width, height) = image.dimensions();
        if width == 0 || height == 0 {
            return Err(PredictError::EmptyImage { index, width, height });
        }
        let sample = Sample {
            image_id: index as i64,
            image: image.clone(),
            labels: Vec::new(),
            boxes_xyxy: Vec::new(),
        };
        // Nothing is drawn at random in evaluation.
        let key = Key { seed: 0, epoch: 0, index: index as u64 };
        Ok(EvalTransforms { side: self.config.data.side }.apply(sample, key))
    }
}

fn weights_file(path: &Path) -> Result<PathBuf, PredictError> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    run_dir::weights_in(path).ok_or_else(|| PredictError::NoWeights { folder: path.to_owned() })
}
