//! The training pipeline.

use guard_core::no_retain;
use rand::RngExt;
use rand_pcg::Pcg64;

use super::{
    Arrangement, Canvas, IouCrop, Key, Mosaic, MultiScale, Objects, PhotometricDistort, Planes, Transform,
    ZoomOut,
};
use crate::data::seed::{Use, generator};
use crate::data::{DataError, Sample};

/// The official training pipeline, each random part with its switch.
#[no_retain]
#[derive(Debug, Clone, PartialEq)]
pub struct TrainTransforms {
    /// Width and height of the result.
    pub side: u32,
    /// Probability of a horizontal flip; official 0.5.
    pub flip: f64,
    /// Puts four images together; `None`, as in every official configuration, is off. A mosaic is neither zoomed
    /// out nor cropped: it has been already.
    pub mosaic: Option<Mosaic>,
    /// Changes of colour; `None` is off.
    pub photometric: Option<PhotometricDistort>,
    /// Places the image on a larger black canvas; `None` is off.
    pub zoom_out: Option<ZoomOut>,
    /// Crops around objects; `None` is off.
    pub iou_crop: Option<IouCrop>,
    /// First epoch without mosaic, photometric distortion, zoom-out and IoU crop (the official `stop_epoch`).
    pub strong_until: Option<u64>,
    /// Draws another side for each batch; `None` is off.
    pub multi_scale: Option<MultiScale>,
}

impl TrainTransforms {
    /// Everything on that the official configurations of a fixed side have on, with the official probabilities.
    pub fn official(side: u32) -> Self {
        Self {
            photometric: Some(PhotometricDistort::default()),
            zoom_out: Some(ZoomOut::default()),
            iou_crop: Some(IouCrop::default()),
            ..Self::flips_only(side)
        }
    }

    /// Horizontal flips and nothing else: for short runs, where stronger augmentation costs more than it gives.
    pub fn flips_only(side: u32) -> Self {
        Self {
            side,
            flip: 0.5,
            mosaic: None,
            photometric: None,
            zoom_out: None,
            iou_crop: None,
            strong_until: None,
            multi_scale: None,
        }
    }

    /// Checks the settings, for values that come from a user.
    ///
    /// # Errors
    /// When a side is 0, a probability is not within 0 to 1, or zooming out would shrink the canvas.
    pub fn check(&self) -> Result<(), DataError> {
        let fault = |field, found: String, expected: &str| {
            Err(DataError::Setting { field, found, expected: expected.into() })
        };
        if self.side == 0 {
            return fault("side", "0".into(), "at least 1 pixel");
        }
        if self.multi_scale.as_ref().is_some_and(|scale| scale.sides.is_empty() || scale.sides.contains(&0)) {
            return fault("multi_scale.sides", "empty or has a 0".into(), "sides of at least 1 pixel");
        }
        for (field, probability) in self.probabilities() {
            if let Some(found) = probability.filter(|probability| !(0.0..=1.0).contains(probability)) {
                return fault(field, found.to_string(), "a probability, 0 to 1");
            }
        }
        match self.zoom_out.as_ref().map(|part| part.largest) {
            Some(found) if !(1.0..=16.0).contains(&found) => {
                fault("zoom_out.largest", found.to_string(), "1 to 16 times the image")
            }
            _ => Ok(()),
        }
    }

    /// Every probability that is in use, by the name of its setting.
    fn probabilities(&self) -> [(&'static str, Option<f64>); 5] {
        [
            ("flip", Some(self.flip)),
            ("mosaic.probability", self.mosaic.as_ref().map(|part| part.probability)),
            ("photometric.probability", self.photometric.as_ref().map(|part| part.probability)),
            ("zoom_out.probability", self.zoom_out.as_ref().map(|part| part.probability)),
            ("iou_crop.probability", self.iou_crop.as_ref().map(|part| part.probability)),
        ]
    }

    fn is_strong(&self, epoch: u64) -> bool {
        self.strong_until.is_none_or(|end| epoch < end)
    }

    fn arrangement(&self, key: Key) -> Option<Arrangement> {
        self.mosaic.as_ref().filter(|_| self.is_strong(key.epoch))?.draw(key)
    }

    /// The sample on its canvas, its colours changed; zoomed out and cropped unless it is a mosaic.
    fn distort(&self, sample: Sample, is_mosaic: bool, rng: &mut Pcg64) -> Canvas {
        let distortion = self.photometric.as_ref().map(|part| part.draw(rng));
        let mut canvas = Canvas::distorted(sample, distortion.unwrap_or_default());
        if is_mosaic {
            return canvas;
        }
        if let Some(padding) = self.zoom_out.as_ref().and_then(|part| part.draw(canvas.size(), rng)) {
            canvas.pad(padding);
        }
        let window =
            self.iou_crop.as_ref().and_then(|part| part.draw(canvas.size(), canvas.boxes_xyxy(), rng));
        if let Some(window) = window {
            canvas.crop_around_objects(window);
        }
        canvas
    }
}

impl Transform for TrainTransforms {
    fn side(&self) -> u32 {
        self.side
    }

    fn batch_side(&self, key: Key) -> u32 {
        self.multi_scale.as_ref().and_then(|scale| scale.draw(key)).unwrap_or(self.side)
    }

    fn partners(&self, key: Key, images: usize) -> Vec<usize> {
        self.arrangement(key).map_or(Vec::new(), |arrangement| arrangement.partners(images).into())
    }

    fn append(&self, sample: Sample, partners: Vec<Sample>, key: Key, batch: &mut Planes) -> Objects {
        let orig_size = sample.image.dimensions().into();
        let mut rng = generator(Use::Transform, key.seed, key.epoch, key.index);
        let arrangement = self.arrangement(key).filter(|_| !partners.is_empty());
        let is_mosaic = arrangement.is_some();
        let sample = match arrangement {
            Some(arrangement) => arrangement.compose(sample, partners, self.side),
            None => sample,
        };
        let mut canvas = match self.is_strong(key.epoch) {
            true => self.distort(sample, is_mosaic, &mut rng),
            false => Canvas::new(sample),
        };
        canvas.sanitise();
        if rng.random_bool(self.flip.clamp(0.0, 1.0)) {
            canvas.flip_horizontal();
        }
        let mut canvas = canvas.draw(self.side, batch);
        canvas.sanitise();
        canvas.into_objects(orig_size)
    }
}
