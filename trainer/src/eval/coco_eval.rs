//! COCO average precision, from plain numbers only.

use std::collections::BTreeMap;

use guard_core::no_retain;
use hotcoco::{Annotation, COCO, COCOeval, Dataset, EvalMode, Image, IouType, Params, StreamingEval};

use super::coco_json::xywh;
use super::{CocoStats, ConfusionMatrix, Detection, EvalError, PrecisionRecall};

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

    /// Names of the classes by ascending category id.
    pub fn class_names(&self) -> Vec<String> {
        self.categories.iter().map(|category| category.name.clone()).collect()
    }

    /// The ground truth, by ascending image id.
    pub fn images(&self) -> impl Iterator<Item = &GroundTruthImage> {
        self.images.values()
    }

    /// The categories, by ascending id.
    pub fn all_categories(&self) -> &[Category] {
        &self.categories
    }

    /// The detections of an image; none when nothing was added.
    pub fn detections(&self, image_id: u64) -> &[Detection] {
        self.detections.get(&image_id).map_or(&[], Vec::as_slice)
    }

    /// The numbers, over all images of the ground truth.
    ///
    /// # Errors
    /// What the COCO implementation refuses.
    pub fn finish(&self) -> Result<CocoStats, EvalError> {
        Ok(self.finish_with_curves()?.0)
    }

    /// As [`Self::finish`], with the curves behind the numbers.
    ///
    /// # Errors
    /// As [`Self::finish`].
    pub fn finish_with_curves(&self) -> Result<(CocoStats, PrecisionRecall), EvalError> {
        let params = Params::new(IouType::Bbox);
        let mut streaming = StreamingEval::new(params, EvalMode::Coco, self.coco_categories())?;
        for batch in self.batches() {
            streaming.update(batch.images, batch.objects, batch.detections)?;
        }
        let mut evaluation = streaming.finalize();
        evaluation.accumulate();
        evaluation.summarize_lines(); // computes the twelve numbers; the lines are for printing
        let stats = CocoStats::read(&evaluation, &self.categories, &self.objects_by_category());
        Ok((stats, PrecisionRecall::read(&evaluation, &self.categories)))
    }

    /// Which classes are taken for which, among detections with at least `score_threshold`, at most a hundred an image.
    ///
    /// # Errors
    /// What the COCO implementation refuses.
    pub fn confusion(&self, iou_threshold: f64, score_threshold: f64) -> Result<ConfusionMatrix, EvalError> {
        let mut matrix = ConfusionMatrix::new(self.class_names(), iou_threshold, score_threshold);
        for CocoBatch { images, mut objects, detections } in self.batches() {
            // Objects are looked up by id; 0 would be every one's.
            (1..).zip(&mut objects).for_each(|(id, object)| object.id = id);
            let categories = self.coco_categories();
            let truth = Dataset { images, annotations: objects, categories, ..Dataset::default() };
            let truth = COCO::from_dataset(truth);
            let found = truth.load_res_anns(detections)?;
            let evaluation = COCOeval::new(truth, found, IouType::Bbox);
            matrix.add(&evaluation.confusion_matrix(iou_threshold, None, Some(score_threshold)));
        }
        Ok(matrix)
    }

    /// Images with their objects and detections, a few at a time.
    fn batches(&self) -> impl Iterator<Item = CocoBatch> {
        let images: Vec<&GroundTruthImage> = self.images.values().collect();
        let batches: Vec<Vec<&GroundTruthImage>> =
            images.chunks(IMAGES_PER_BATCH).map(<[_]>::to_vec).collect();
        batches.into_iter().map(|batch| CocoBatch {
            images: batch.iter().map(|image| coco_image(image)).collect(),
            objects: batch.iter().flat_map(|image| coco_objects(image)).collect(),
            detections: batch.iter().flat_map(|image| self.coco_detections(image.image_id)).collect(),
        })
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

/// Some images as the COCO implementation takes them.
struct CocoBatch {
    images: Vec<Image>,
    objects: Vec<Annotation>,
    detections: Vec<Annotation>,
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
