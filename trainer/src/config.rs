//! The configuration of a run: what `config.toml` in the run directory holds.

pub mod official;
mod overlay;
pub mod preset;

use std::path::{Path, PathBuf};

use guard_core::no_retain;
use serde::{Deserialize, Serialize};

use crate::{
    data::transforms::{Mosaic, MultiScale},
    data::{Format, Layout, TrainTransforms},
    eval::PostProcessorConfig,
    loss::CriterionConfig,
    model::RtDetrConfig,
    train::{AdamWConfig, Amp, EmaConfig, ParamGroupError, schedule::Decay},
};

pub use official::{OfficialConfig, OfficialConfigError};
pub use preset::{PRESETS, Preset};

/// Everything that decides the outcome of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[no_retain]
pub struct TrainConfig {
    /// Seed of the weights, the order of the images, the augmentation and the denoising noise.
    pub seed: u64,
    /// Epochs of the run.
    pub epochs: u64,
    /// Images of a training step.
    pub batch_size: usize,
    /// Steps of the linear warm-up.
    pub warmup_steps: u64,
    /// What the learning rate does after the warm-up.
    pub decay: Decay,
    /// Largest total gradient norm; 0 does not clip.
    pub clip_max_norm: f64,
    /// Precision of the forward pass in training: `off` (f32), `bf16`, or `f16` with scaled gradients.
    #[serde(default)]
    pub amp: Amp,
    /// Detections kept of an image.
    pub num_top_queries: i64,
    /// Images.
    pub data: DataConfig,
    /// Optimiser.
    pub optimizer: AdamWConfig,
    /// Average of the weights.
    #[serde(default)]
    pub ema: EmaConfig,
    /// Network; its number of classes is that of the data.
    pub model: RtDetrConfig,
    /// Loss.
    pub criterion: CriterionConfig,
}

/// Where the images come from and how they are prepared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[no_retain]
pub struct DataConfig {
    /// `shapes`, or a Pascal VOC, COCO or YOLO data set.
    pub source: DataSource,
    /// Side in pixels that images are resized to, a multiple of 32.
    pub side: u32,
    /// What training images go through.
    pub augmentation: Augmentation,
    /// Probability that a training image is a mosaic of four; 0, the official choice, is off.
    #[serde(default)]
    pub mosaic: f64,
    /// First epoch without strong augmentation (the official `stop_epoch`): flips remain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strong_until: Option<u64>,
    /// Sides that training batches are drawn from; without it every batch has `side`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multi_scale: Option<MultiScale>,
}

/// The random changes of training images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[no_retain]
pub enum Augmentation {
    /// Horizontal flips: enough for a short run.
    Flips,
    /// The official pipeline: colours, zoom-out, IoU crop, flips.
    Official,
}

impl DataConfig {
    /// Images of one side from the first epoch to the last, without mosaics.
    pub fn plain(source: DataSource, side: u32, augmentation: Augmentation) -> Self {
        Self { source, side, augmentation, mosaic: 0.0, strong_until: None, multi_scale: None }
    }

    /// The pipeline of the training images.
    pub fn train_transforms(&self) -> TrainTransforms {
        let transforms = match self.augmentation {
            Augmentation::Flips => TrainTransforms::flips_only(self.side),
            Augmentation::Official => TrainTransforms::official(self.side),
        };
        let mosaic = (self.mosaic > 0.0).then_some(Mosaic { probability: self.mosaic });
        let (strong_until, multi_scale) = (self.strong_until, self.multi_scale.clone());
        TrainTransforms { mosaic, strong_until, multi_scale, ..transforms }
    }
}

/// The data set of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[no_retain]
pub enum DataSource {
    /// The embedded set: `train` rendered images for training, `val` for validation.
    Shapes {
        /// Training images.
        train: usize,
        /// Validation images.
        val: usize,
    },
    /// A Pascal VOC folder with the splits `train` and `val`.
    Voc {
        /// The folder.
        folder: PathBuf,
    },
    /// A COCO data set with the splits `train` and `val`.
    Coco {
        /// The folder.
        folder: PathBuf,
    },
    /// A YOLO data set with the splits `train` and `val`.
    Yolo {
        /// The folder, or its `data.yaml`.
        folder: PathBuf,
    },
}

impl DataSource {
    /// The embedded set in its usual size.
    pub const SHAPES: Self = Self::Shapes { train: 1600, val: 200 };
}

/// A configuration that no run can follow.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[no_retain]
pub enum TrainConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// The file is not a configuration.
    #[error("{} is not a configuration of this trainer:\n{cause}", path.display())]
    Parse {
        /// The file.
        path: PathBuf,
        /// Line, column and what was expected.
        cause: String,
    },
    /// No preset has that name.
    #[error("there is no preset `{found}`; did you mean `{nearest}`? The presets are {}", known.join(", "))]
    UnknownPreset {
        /// The name given.
        found: String,
        /// The preset with the most similar name.
        nearest: &'static str,
        /// All short names.
        known: Vec<&'static str>,
    },
    /// An official configuration cannot be followed.
    #[error(transparent)]
    Official(#[from] OfficialConfigError),
    /// The optimiser's groups are inconsistent.
    #[error(transparent)]
    Groups(#[from] ParamGroupError),
    /// A value is out of range.
    #[error("`{field}` is {found}, expected {expected}")]
    Value {
        /// The field's path in the configuration.
        field: &'static str,
        /// The value given.
        found: String,
        /// What would work.
        expected: &'static str,
    },
}

impl DataSource {
    /// The source that a detected data set is.
    pub fn files(layout: &Layout) -> Self {
        let folder = layout.path().to_owned();
        match layout.format() {
            Format::Voc => Self::Voc { folder },
            Format::Coco => Self::Coco { folder },
            Format::Yolo => Self::Yolo { folder },
        }
    }
}

impl TrainConfig {
    /// Reads the `config.toml` of a run, or a file that names a `preset` and states what differs from it.
    ///
    /// # Errors
    /// When the file cannot be read, or has an unknown, missing or mistyped key; the message shows the line.
    pub fn read(path: &Path) -> Result<Self, TrainConfigError> {
        Self::read_over(path, None)
    }

    /// As [`read`](Self::read); what a file without a `preset` leaves out comes from `base`.
    ///
    /// # Errors
    /// As `read`.
    pub fn read_over(path: &Path, base: Option<&Self>) -> Result<Self, TrainConfigError> {
        let text = std::fs::read_to_string(path)
            .map_err(|cause| TrainConfigError::Read { path: path.to_owned(), cause })?;
        overlay::parse(&text, path, base)
    }

    /// Sets the side of the images, for evaluation as well.
    pub fn set_side(&mut self, side: u32) {
        self.data.side = side;
        if let Some(size) = &mut self.model.eval_spatial_size {
            *size = [i64::from(side); 2];
        }
    }

    /// Checks what the network's own check does not see.
    ///
    /// # Errors
    /// The first value that is out of range.
    pub fn check(&self) -> Result<(), TrainConfigError> {
        let side = self.data.side;
        let expect = |holds: bool, field, found: &dyn std::fmt::Display, expected| {
            if holds {
                Ok(())
            } else {
                Err(TrainConfigError::Value { field, found: found.to_string(), expected })
            }
        };
        expect(side >= 64 && side.is_multiple_of(32), "data.side", &side, "a multiple of 32, at least 64")?;
        let mosaic = self.data.mosaic;
        expect((0.0..=1.0).contains(&mosaic), "data.mosaic", &mosaic, "a probability, 0 to 1")?;
        if let Some(MultiScale { sides, .. }) = &self.data.multi_scale {
            let fits = |side: &u32| *side >= 64 && side.is_multiple_of(32);
            let (field, expected) =
                ("data.multi_scale.sides", "one or more multiples of 32, each at least 64");
            expect(!sides.is_empty() && sides.iter().all(fits), field, &format!("{sides:?}"), expected)?;
        }
        expect(self.batch_size > 0, "batch_size", &self.batch_size, "at least 1")?;
        expect(self.epochs > 0, "epochs", &self.epochs, "at least 1")?;
        let lr = self.optimizer.lr;
        expect(lr.is_finite() && lr > 0.0, "optimizer.lr", &lr, "a positive number")?;
        let deploy = self.model.encoder.deploy;
        expect(!deploy, "model.encoder.deploy", &deploy, "false: folded blocks have no norms to train")?;
        self.optimizer.check_groups()?;
        let EmaConfig { decay, warmups } = self.ema;
        expect((0.0..=1.0).contains(&decay), "ema.decay", &decay, "a number from 0 to 1")?;
        expect(warmups.is_finite() && warmups > 0.0, "ema.warmups", &warmups, "a positive number")?;
        let clip = self.clip_max_norm;
        expect(
            clip.is_finite() && clip >= 0.0,
            "clip_max_norm",
            &clip,
            "0 (no clipping) or a positive number",
        )
    }

    /// How the predictions of the network become detections.
    pub fn postprocessor(&self) -> PostProcessorConfig {
        PostProcessorConfig {
            num_top_queries: self.num_top_queries,
            use_focal_loss: self.criterion.matcher.use_focal_loss,
            ..PostProcessorConfig::default()
        }
    }

    /// The main job: the embedded set, sized for two cores.
    pub fn shapes() -> Self {
        Self { epochs: 4, batch_size: 4, ..Self::for_two_cores(DataSource::SHAPES, 128, 60) }
    }

    /// A folder of photographs, sized for two cores.
    pub fn photographs(source: DataSource) -> Self {
        Self { epochs: 14, batch_size: 4, ..Self::for_two_cores(source, 256, 100) }
    }

    fn for_two_cores(source: DataSource, side: u32, num_queries: i64) -> Self {
        let mut model = RtDetrConfig::r18vd(1);
        (model.encoder.hidden_dim, model.decoder.hidden_dim) = (128, 128);
        (model.encoder.dim_feedforward, model.decoder.dim_feedforward) = (512, 512);
        model.decoder.num_denoising = 50;
        model.decoder.num_queries = num_queries;
        Self {
            seed: 0,
            epochs: 1,
            batch_size: 1,
            warmup_steps: 100,
            decay: Decay::FlatCosine,
            clip_max_norm: 0.1,
            amp: Amp::Off,
            num_top_queries: 300,
            data: DataConfig::plain(source, side, Augmentation::Flips),
            optimizer: AdamWConfig { lr: 4e-4, ..AdamWConfig::default() },
            ema: EmaConfig::default(),
            model,
            criterion: CriterionConfig::default(),
        }
    }
}
