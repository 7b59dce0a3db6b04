//! The data sets that a configuration names.

use std::{path::Path, sync::Arc};

use guard_core::no_retain;
use trainer::{
    config::{DataConfig, DataSource, TrainConfig},
    data::{DataError, Dataset, Format, Layout, Shapes, Split},
};

/// The configuration to start from for what `--data` says.
pub fn default_config(data: &str) -> Result<TrainConfig, DataError> {
    match source(data)? {
        DataSource::Shapes { .. } => Ok(TrainConfig::shapes()),
        files => Ok(TrainConfig::photographs(files)),
    }
}

/// What `--data` names, for a configuration that comes from a file.
pub fn source(data: &str) -> Result<DataSource, DataError> {
    match data {
        "shapes" => Ok(TrainConfig::shapes().data.source),
        _ => Ok(DataSource::files(&Layout::detect(data)?)),
    }
}

/// What a run on `data` is called.
pub fn run_name(data: &str) -> String {
    match data {
        "shapes" => data.to_owned(),
        _ => Layout::detect(data).map_or_else(|_| "run".to_owned(), |layout| layout.name()),
    }
}

/// The two halves of a data set.
#[no_retain]
pub struct Splits {
    /// What is trained on.
    pub train: Arc<dyn Dataset>,
    /// What is evaluated on.
    pub val: Arc<dyn Dataset>,
}

/// Opens the training and the validation split.
pub fn open(config: &DataConfig) -> Result<Splits, DataError> {
    match &config.source {
        DataSource::Shapes { train, val } => {
            let split = |split, len| Shapes::new(split, SHAPES_SEED, len, config.side).map(Arc::new);
            Ok(Splits { train: split(Split::Train, *train)?, val: split(Split::Val, *val)? })
        }
        DataSource::Voc { folder } => open_files(Format::Voc, folder),
        DataSource::Coco { folder } => open_files(Format::Coco, folder),
        DataSource::Yolo { folder } => open_files(Format::Yolo, folder),
    }
}

fn open_files(format: Format, folder: &Path) -> Result<Splits, DataError> {
    let layout = Layout::of(format, folder)?;
    eprintln!("data   {layout}");
    let train = layout.open("train", None)?;
    let val = layout.open("val", Some(train.class_names()))?;
    Ok(Splits { train: Arc::new(train), val: Arc::new(val) })
}

/// Opens one split for a model with these classes.
///
/// A Pascal VOC folder declares no classes, so those of the model are looked for; the other formats have a list of their
/// own, to be matched by name.
pub fn open_split(config: &DataConfig, split: &str, classes: &[String]) -> anyhow::Result<Arc<dyn Dataset>> {
    let files = |format, folder: &Path, classes| -> anyhow::Result<Arc<dyn Dataset>> {
        Ok(Arc::new(Layout::of(format, folder)?.open(split, classes)?))
    };
    match &config.source {
        DataSource::Shapes { train, val } => {
            let (part, len) = match split {
                "train" => (Split::Train, *train),
                "val" => (Split::Val, *val),
                _ => anyhow::bail!("--split {split}: `shapes` has the splits train and val"),
            };
            Ok(Arc::new(Shapes::new(part, SHAPES_SEED, len, config.side)?))
        }
        DataSource::Voc { folder } => files(Format::Voc, folder, Some(classes)),
        DataSource::Coco { folder } => files(Format::Coco, folder, None),
        DataSource::Yolo { folder } => files(Format::Yolo, folder, None),
    }
}

/// The pictures are the same in every run, whatever its seed: results stay comparable.
const SHAPES_SEED: u64 = 0;
