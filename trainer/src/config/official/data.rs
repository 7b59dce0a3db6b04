//! What an official configuration says about images.

use guard_core::no_retain;
use serde_json::{Map, Value, json};

use super::{
    Converted, OfficialConfigError,
    keys::{required, unsupported},
    schema::{DataLoader, Dataset, Document},
};
use crate::config::Augmentation;

/// Images, augmentation and batches of an official configuration.
#[derive(Debug, Clone, PartialEq)]
#[no_retain]
pub struct OfficialData {
    /// What is trained on.
    pub train: OfficialSource,
    /// What is evaluated on.
    pub val: OfficialSource,
    /// Category ids are MS COCO's, with gaps.
    pub remap_mscoco_category: bool,
    /// Side in pixels that images are resized to.
    pub side: u32,
    /// What training images go through.
    pub augmentation: Augmentation,
    /// First epoch without colours, zoom-out and IoU crop; `None` never ends them.
    pub augmentation_stop_epoch: Option<u64>,
    /// Sides that a batch may be resized to; empty, batches keep their size.
    pub scales: Vec<u32>,
    /// First epoch in which batches keep their size; `None` never ends the resizing.
    pub scales_stop_epoch: Option<u64>,
    /// Images of a training step, all processes together.
    pub batch_size: usize,
    /// Images of an evaluation step.
    pub val_batch_size: usize,
}

/// A data set of an official configuration, with paths as written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[no_retain]
pub enum OfficialSource {
    /// MS COCO annotations.
    Coco {
        /// Folder of the images.
        img_folder: String,
        /// Annotation file.
        ann_file: String,
    },
    /// A list of pairs of image and Pascal VOC annotation.
    Voc {
        /// The folder that the others are relative to.
        root: String,
        /// The list.
        ann_file: String,
        /// Class names, one a line.
        label_file: String,
    },
}

/// The operations that only the official pipeline has.
const STRONG: [&str; 3] = ["RandomPhotometricDistort", "RandomZoomOut", "RandomIoUCrop"];

pub(super) fn official_data(document: &Document) -> Converted<OfficialData> {
    let train = required(&document.train_dataloader, "train_dataloader")?;
    let val = required(&document.val_dataloader, "val_dataloader")?;
    let train_set = required(&train.dataset, "train_dataloader.dataset")?;
    let side = side(document)?;
    let collate = train.collate_fn.as_ref();
    let policy = train_set.transforms.as_ref().and_then(|transforms| transforms.policy.as_ref());
    if let Some(name) = policy.and_then(|policy| policy.name.as_deref()).filter(|name| *name != "stop_epoch")
    {
        return unsupported("train_dataloader.dataset.transforms.policy.name", name, "`stop_epoch`");
    }
    Ok(OfficialData {
        train: source(train_set)?,
        val: source(required(&val.dataset, "val_dataloader.dataset")?)?,
        remap_mscoco_category: document.remap_mscoco_category.unwrap_or(false),
        side,
        augmentation: augmentation(train_set, side)?,
        augmentation_stop_epoch: policy.and_then(|policy| policy.epoch),
        scales: collate.and_then(|collate| collate.scales.clone()).unwrap_or_default(),
        scales_stop_epoch: collate.and_then(|collate| collate.stop_epoch),
        batch_size: batch_size(train, "train_dataloader.total_batch_size")?,
        val_batch_size: batch_size(val, "val_dataloader.total_batch_size")?,
    })
}

/// Images are square here, and as large in training as in evaluation.
fn side(document: &Document) -> Converted<u32> {
    match *required(&document.eval_spatial_size, "eval_spatial_size")? {
        [height, width] if height == width && u32::try_from(height).is_ok() => Ok(height as u32),
        [height, width] => {
            unsupported("eval_spatial_size", format!("[{height}, {width}]"), "square images alone")
        }
    }
}

fn batch_size(loader: &DataLoader, key: &'static str) -> Converted<usize> {
    Ok(*required(
        if loader.total_batch_size.is_some() { &loader.total_batch_size } else { &loader.batch_size },
        key,
    )?)
}

fn source(dataset: &Dataset) -> Converted<OfficialSource> {
    let text = |value: &Option<String>, key| required(value, key).cloned();
    match required(&dataset.class, "train_dataloader.dataset.type")?.as_str() {
        "CocoDetection" => Ok(OfficialSource::Coco {
            img_folder: text(&dataset.img_folder, "dataset.img_folder")?,
            ann_file: text(&dataset.ann_file, "dataset.ann_file")?,
        }),
        "VOCDetection" => Ok(OfficialSource::Voc {
            root: text(&dataset.root, "dataset.root")?,
            ann_file: text(&dataset.ann_file, "dataset.ann_file")?,
            label_file: text(&dataset.label_file, "dataset.label_file")?,
        }),
        found => unsupported("dataset.type", found, "`CocoDetection` and `VOCDetection`"),
    }
}

/// The pipeline that the operations are.
fn augmentation(dataset: &Dataset, side: u32) -> Converted<Augmentation> {
    let ops = dataset.transforms.as_ref().and_then(|transforms| transforms.ops.as_deref());
    let ops = ops.ok_or(OfficialConfigError::Missing { key: "train_dataloader.dataset.transforms.ops" })?;
    let whole = official_ops(side);
    let same =
        |wanted: &[Value]| ops.len() == wanted.len() && ops.iter().zip(wanted).all(|(a, b)| equal(a, b));
    let strong = |op: &Value| STRONG.iter().any(|name| op["type"] == *name);
    let weak: Vec<Value> = whole.iter().filter(|op| !strong(op)).cloned().collect();
    match (same(&whole), same(&weak)) {
        (true, _) => Ok(Augmentation::Official),
        (_, true) => Ok(Augmentation::Flips),
        _ => unsupported(
            "train_dataloader.dataset.transforms.ops",
            Value::from(ops.to_vec()),
            "the official pipeline, with or without its first three operations, and its sizes equal to eval_spatial_size",
        ),
    }
}

/// The official operations in order, each with all that is said about it.
fn official_ops(side: u32) -> Vec<Value> {
    let sanitize = json!({"type": "SanitizeBoundingBoxes", "min_size": 1});
    vec![
        json!({"type": STRONG[0], "p": 0.5}),
        json!({"type": STRONG[1], "fill": 0}),
        json!({"type": STRONG[2], "p": 0.8}),
        sanitize.clone(),
        json!({"type": "RandomHorizontalFlip"}),
        json!({"type": "Resize", "size": [side, side]}),
        sanitize,
        json!({"type": "ConvertPILImage", "dtype": "float32", "scale": true}),
        json!({"type": "ConvertBoxes", "fmt": "cxcywh", "normalize": true}),
    ]
}

/// Numbers are equal by value, however they are written.
fn equal(op: &Map<String, Value>, wanted: &Value) -> bool {
    let same = |a: &Value, b: &Value| match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    };
    let wanted = wanted.as_object().expect("an operation is a mapping");
    op.len() == wanted.len()
        && op.iter().all(|(key, value)| wanted.get(key).is_some_and(|other| same(value, other)))
}
