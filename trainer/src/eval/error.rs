//! What can be wrong on the way from predictions to numbers.

use std::path::PathBuf;

use thiserror::Error;

/// Predictions, images or ground truths that do not belong together.
#[derive(Debug, Error)]
pub enum EvalError {
    /// A tensor has not the shape that its neighbours ask for.
    #[error("`{tensor}` has shape {found:?}, expected {expected}")]
    Shape {
        /// The field.
        tensor: &'static str,
        /// Its shape.
        found: Vec<i64>,
        /// The shape in words or letters.
        expected: String,
    },
    /// More classes than the MS COCO table has entries.
    #[error(
        "`remap_mscoco_category` needs labels below {known}, but the model has {classes} classes; \
         switch it off for a dataset other than MS COCO"
    )]
    TooManyClassesToRemap {
        /// Classes of the model.
        classes: i64,
        /// Entries of the table.
        known: usize,
    },
    /// The same image twice in the ground truth.
    #[error("image {image_id} is listed twice in the ground truth; give every image its own id")]
    DuplicateImage {
        /// The id.
        image_id: u64,
    },
    /// The same category twice.
    #[error("category {id} is listed twice; give every category its own id")]
    DuplicateCategory {
        /// The id.
        id: i64,
    },
    /// A category id below 0.
    #[error("category `{name}` has id {id}; ids start at 0")]
    NegativeCategory {
        /// The id.
        id: i64,
        /// Its name.
        name: String,
    },
    /// Detections for an image the evaluator was not built with.
    #[error("image {image_id} has detections but is not in the ground truth ({known} images)")]
    UnknownImage {
        /// The id.
        image_id: u64,
        /// Images in the ground truth.
        known: usize,
    },
    /// An object or detection whose label is no category.
    #[error(
        "label {label} in image {image_id} ({origin}) is none of the {known} categories; \
         check the number of classes and the label map of the dataset"
    )]
    UnknownLabel {
        /// The image.
        image_id: u64,
        /// The label.
        label: i64,
        /// "ground truth" or "detection".
        origin: &'static str,
        /// Number of categories.
        known: usize,
    },
    /// A score or a coordinate that is no number.
    #[error(
        "a value of a box in image {image_id} ({origin}) is NaN or infinite; \
         a model that returns such values has diverged: lower the learning rate or clip gradients"
    )]
    NotFinite {
        /// The image.
        image_id: u64,
        /// "ground truth" or "detection".
        origin: &'static str,
    },
    /// The model and the data do not have the same classes.
    #[error(
        "the model and the data have different classes: only the model has {}, only the data has {}; \
         evaluate on data with the model's classes, or rename those of the data",
        listed(only_model),
        listed(only_data)
    )]
    Classes {
        /// Names that only the model has.
        only_model: Vec<String>,
        /// Names that only the data has.
        only_data: Vec<String>,
    },
    /// A class name that stands for two labels.
    #[error(
        "the class name `{name}` is listed twice, so labels cannot be matched by name; rename one of the two"
    )]
    AmbiguousClass {
        /// The name.
        name: String,
    },
    /// A file cannot be read.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// A file is not the JSON that was expected.
    #[error("{} is not {what}: {cause}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// What it should be.
        what: &'static str,
        /// What the parser said, with line and column.
        cause: serde_json::Error,
    },
    /// An object of an image that the file does not list.
    #[error("{}: annotation {annotation} is of image {image_id}, which `images` does not list; add it or take the annotation out", path.display())]
    ImageNotListed {
        /// The ground-truth file.
        path: PathBuf,
        /// Id of the annotation.
        annotation: u64,
        /// The image that it names.
        image_id: u64,
    },
    /// The COCO evaluation refused its input.
    #[error("COCO evaluation failed: {0}")]
    Coco(#[from] hotcoco::Error),
}

fn listed(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    if quoted.is_empty() { "none".to_owned() } else { quoted.join(", ") }
}
