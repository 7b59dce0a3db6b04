//! What can be wrong with the inputs of the criterion.

use thiserror::Error;

/// Outputs and targets that do not belong together.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LossError {
    /// A tensor has not the shape that its neighbours ask for.
    #[error("`{tensor}` of the outputs{set} has shape {found:?}, expected {expected}")]
    Shape {
        /// The field.
        tensor: &'static str,
        /// Suffix of the prediction set; empty for the last decoder layer.
        set: String,
        /// Its shape.
        found: Vec<i64>,
        /// The shape in words or letters.
        expected: String,
    },
    /// The target table is not as long as its per-image counts say.
    #[error("targets hold {labels} labels and {boxes} boxes, but their counts sum to {counted}")]
    TargetCount {
        /// Rows of `labels`.
        labels: usize,
        /// Rows of `boxes_cxcywh`, 0 where the table is not `[G, 4]`.
        boxes: usize,
        /// Sum of `counts`.
        counted: usize,
    },
    /// A label the model has no logit for.
    #[error(
        "labels of the targets run from {min} to {max}, but the model has {num_classes} classes (0 to {}); \
         set `num_classes` to the number of classes of the dataset, or map its labels",
        num_classes - 1
    )]
    LabelOutOfRange {
        /// Smallest label of the batch.
        min: i64,
        /// Largest label of the batch.
        max: i64,
        /// Columns of the logits.
        num_classes: i64,
    },
    /// Denoising outputs without their layout.
    #[error("the outputs have {sets} denoising sets but no `dn_meta` that says which query is which object")]
    DnMetaMissing {
        /// Sets without a layout.
        sets: usize,
    },
    /// A denoising layout for other images than those of the targets.
    #[error("`dn_meta.positive_idx` lists {found} positive queries for image {image}, expected {expected}")]
    DnPositives {
        /// Position in the batch.
        image: usize,
        /// Entries found.
        found: usize,
        /// Objects of the image times groups.
        expected: usize,
    },
    /// A denoising layout that points outside the denoising queries.
    #[error("`dn_meta.positive_idx` of image {image} names query {query}, but there are {queries}")]
    DnQueryOutOfRange {
        /// Position in the batch.
        image: usize,
        /// The entry.
        query: i64,
        /// Denoising queries.
        queries: i64,
    },
    /// The number to divide by is not a positive number.
    #[error("`num_boxes` is {found}, expected a finite number above 0")]
    NumBoxes {
        /// As text, because it may be NaN.
        found: String,
    },
}
