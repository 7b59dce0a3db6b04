//! COCO average precision, from plain numbers only.

use std::collections::BTreeMap;

use guard_core::no_retain;
use hotcoco::{Annotation, EvalMode, Image, IouType, Params, StreamingEval};

use super::{CocoStats, Detection, EvalError};

/// Images matched at a time: enough to pay for the set-up of a batch, few enough to keep the records small.
const IMAGES_PER_BATCH: usize = 64;

/// A class of the dataset.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Category {
    /// What labels refer to; at least 0.
    pub id: i64,
    /// For reports.
    pub name: String,
}

/// An annotated object.
#[no_retain]
#[derive(Debug, Clone, PartialEq)]
pub struct GroundTruthObject {
    /// A category id.
    pub label: i64,
    /// Corners in pixels of the original image.
    pub box_xyxy: [f64; 4],
    /// Area that decides between small, medium and large; the area of the box if none.
    pub area: Option<f64>,
    /// A crowd: detections inside it are ignored, and it need not be found.
    pub iscrowd: bool,
}

/// An annotated image.
#[no_retain]
#[derive(Debug, Clone, PartialEq)]
pub struct GroundTruthImage {
    /// Unique in the dataset.
    pub image_id: u64,
    /// Width and height in pixels.
    pub size_wh: (u32, u32),
    /// Its objects; may be empty.
    pub objects: Vec<GroundTruthObject>,
}

/// Collects detections image by image and computes COCO's numbers at the end.
///
/// An image without detections counts as one where nothing was found.
#[no_retain]
#[derive(Debug, Clone)]
pub struct CocoEvaluator {
    categories: Vec<Category>,
    images: BTreeMap<u64, GroundTruthImage>,
    detections: BTreeMap<u64, Vec<Detection>>,
}

impl CocoEvaluator {
    /// An evaluator for these images.
    ///
    /// # Errors
    /// A category or image listed twice, a negative category id, an object with an unknown label or a box
    /// that is no number.
    pub fn new(mut categories: Vec<Category>, images: Vec<GroundTruthImage>) -> Result<Self, EvalError> {
        categories.sort_by_key(|category| category.id);
        check_categories(&categories)?;
        let mut evaluator = Self { categories, images: BTreeMap::new(), detections: BTreeMap::new() };
        for image in images {
            evaluator.check_objects(&image)?;
            let image_id = image.image_id;
            if evaluator.images.insert(image_id, image).is_some() {
                return Err(EvalError::DuplicateImage { image_id });
            }
        }
        Ok(evaluator)
    }

    /// Categories 0, 1, … with these names.
    pub fn categories(names: &[String]) -> Vec<Category> {
        (0..).zip(names).map(|(id, name)| Category { id, name: name.clone() }).collect()
    }

    /// Takes the detections of an image; a second call for the same image replaces the first.
    ///
    /// # Errors
    /// An image that is not in the ground truth, an unknown label, a value that is NaN or infinite.
    pub fn add(&mut self, image_id: u64, detections: &[Detection]) -> Result<(), EvalError> {
        if !self.images.contains_key(&image_id) {
            return Err(EvalError::UnknownImage { image_id, known: self.images.len() });
        }
        for detection in detections {
            self.check_label(detection.label, image_id, "detection")?;
            check_finite(&detection.box_xyxy, image_id, "detection")?;
            check_finite(&[detection.score], image_id, "detection")?;
        }
        self.detections.insert(image_id, detections.to_vec());
        Ok(())
    }

    /// Forgets all detections, for the next epoch.
    pub fn reset(&mut self) {
        self.detections.clear();
    }

    /// Images of the ground truth.
    pub fn num_images(&self) -> usize {
        self.images.len()
    }

    /// The numbers, over all images of the ground truth.
    ///
    /// # Errors
    /// What the COCO implementation refuses.
    pub fn finish(&self) -> Result<CocoStats, EvalError> {
        let params = Params::new(IouType::Bbox);
        let mut streaming = StreamingEval::new(params, EvalMode::Coco, self.coco_categories())?;
        let images: Vec<&GroundTruthImage> = self.images.values().collect();
        for batch in images.chunks(IMAGES_PER_BATCH) {
            let objects = batch.iter().flat_map(|image| coco_objects(image)).collect();
            let detections = batch.iter().flat_map(|image| self.coco_detections(image.image_id)).collect();
            streaming.update(batch.iter().map(|image| coco_image(image)).collect(), objects, detections)?;
        }
        let mut evaluation = streaming.finalize();
        evaluation.accumulate();
        evaluation.summarize_lines(); // computes the twelve numbers; the lines are for printing
        Ok(CocoStats::read(&evaluation, &self.categories, &self.objects_by_category()))
    }

    fn check_objects(&self, image: &GroundTruthImage) -> Result<(), EvalError> {
        for object in &image.objects {
            self.check_label(object.label, image.image_id, "ground truth")?;
            check_finite(&object.box_xyxy, image.image_id, "ground truth")?;
            check_finite(&[object.area.unwrap_or(0.0)], image.image_id, "ground truth")?;
        }
        Ok(())
    }

    fn check_label(&self, label: i64, image_id: u64, origin: &'static str) -> Result<(), EvalError> {
        match self.categories.binary_search_by_key(&label, |category| category.id) {
            Ok(_) => Ok(()),
            Err(_) => Err(EvalError::UnknownLabel { image_id, label, origin, known: self.categories.len() }),
        }
    }

    /// Objects of each category that are no crowd.
    fn objects_by_category(&self) -> Vec<usize> {
        let objects =
            || self.images.values().flat_map(|image| &image.objects).filter(|object| !object.iscrowd);
        let count = |category: &Category| objects().filter(|object| object.label == category.id).count();
        self.categories.iter().map(count).collect()
    }

    fn coco_categories(&self) -> Vec<hotcoco::Category> {
        let coco = |category: &Category| hotcoco::Category {
            id: category.id as u64,
            name: category.name.clone(),
            ..Default::default()
        };
        self.categories.iter().map(coco).collect()
    }

    fn coco_detections(&self, image_id: u64) -> impl Iterator<Item = Annotation> + '_ {
        let detections = self.detections.get(&image_id).into_iter().flatten();
        detections.map(move |detection| Annotation {
            image_id,
            category_id: detection.label as u64,
            bbox: Some(xywh(detection.box_xyxy)),
            score: Some(detection.score),
            ..Annotation::default()
        })
    }
}

/// Sorted by id: equal ids are neighbours.
fn check_categories(categories: &[Category]) -> Result<(), EvalError> {
    if let Some(first) = categories.first().filter(|category| category.id < 0) {
        return Err(EvalError::NegativeCategory { id: first.id, name: first.name.clone() });
    }
    match categories.windows(2).find(|pair| pair[0].id == pair[1].id) {
        Some(pair) => Err(EvalError::DuplicateCategory { id: pair[0].id }),
        None => Ok(()),
    }
}

fn check_finite(values: &[f64], image_id: u64, origin: &'static str) -> Result<(), EvalError> {
    if values.iter().all(|value| value.is_finite()) {
        return Ok(());
    }
    Err(EvalError::NotFinite { image_id, origin })
}

fn coco_image(image: &GroundTruthImage) -> Image {
    let (width, height) = image.size_wh;
    Image { id: image.image_id, width, height, ..Image::default() }
}

fn coco_objects(image: &GroundTruthImage) -> impl Iterator<Item = Annotation> + '_ {
    image.objects.iter().map(|object| Annotation {
        image_id: image.image_id,
        category_id: object.label as u64,
        bbox: Some(xywh(object.box_xyxy)),
        area: object.area,
        iscrowd: object.iscrowd,
        ..Annotation::default()
    })
}

/// COCO writes a box as its upper left corner, width and height.
fn xywh([x0, y0, x1, y1]: [f64; 4]) -> [f64; 4] {
    [x0, y0, x1 - x0, y1 - y0]
}
