//! The official YAML configurations, read as they are.
//!
//! A file names others under `__include__`, relative to itself; they are merged in order, then the file itself: mappings
//! key by key, everything else as a whole. Overrides (`key.sub=value`) come last. An unknown key is refused where it stands,
//! a known one that this trainer cannot follow is refused by its path.
//!
//! Keys that do not change the result are read and not acted upon: `task`, `evaluator`, `output_dir`, `summary_dir`, `print_freq`,
//! `checkpoint_freq`, `num_workers`, `find_unused_parameters`, `sync_bn`, `scaler`, and `use_amp`, which the official
//! trainer overrides as well by its flag (here `--amp`).

mod convert;
mod criterion;
mod data;
mod error;
mod fault;
mod keys;
mod merge;
mod model;
mod schema;

use std::path::Path;

use guard_core::no_retain;
use serde_json::Value;

use super::{DataSource, TrainConfig};
pub use data::{OfficialData, OfficialSource};
pub use error::OfficialConfigError;
use schema::Document;

type Converted<T> = Result<T, OfficialConfigError>;

/// An official configuration with everything it includes.
#[derive(Debug, Clone, PartialEq)]
#[no_retain]
pub struct OfficialConfig {
    tree: Value,
}

impl OfficialConfig {
    /// Reads `path`, the files that it includes, and the `overrides` (`key.sub=value`, the value being YAML).
    ///
    /// # Errors
    /// A file that cannot be read or is not YAML, an unknown key, files that include each other.
    pub fn read(path: &Path, overrides: &[String]) -> Result<Self, OfficialConfigError> {
        let mut tree = merge::read(path, &mut Vec::new())?;
        for text in overrides {
            merge::merge(&mut tree, merge::parse_override(text)?);
        }
        Ok(Self { tree })
    }

    /// A configuration that was resolved elsewhere.
    pub fn from_resolved(tree: Value) -> Self {
        Self { tree }
    }

    /// All keys and values, the includes resolved.
    pub fn tree(&self) -> &Value {
        &self.tree
    }

    /// The run that the configuration describes, on the images of `source`.
    ///
    /// # Errors
    /// A key that is missing, has a value of another type, or asks for what this trainer does not have.
    pub fn train_config(&self, source: DataSource) -> Result<TrainConfig, OfficialConfigError> {
        convert::train_config(&self.document()?, source)
    }

    /// What the configuration says about images and augmentation.
    ///
    /// # Errors
    /// As [`train_config`](Self::train_config).
    pub fn data(&self) -> Result<OfficialData, OfficialConfigError> {
        data::official_data(&self.document()?)
    }

    /// The weights that the run starts from, and that have to be loaded apart: keys and values of `tuning`, `resume` and
    /// `pretrained`.
    pub fn initial_weights(&self) -> Vec<(String, String)> {
        let backbone = self.tree.pointer("/RTDETR/backbone").and_then(Value::as_str).unwrap_or_default();
        let keys = ["tuning".to_owned(), "resume".to_owned(), format!("{backbone}.pretrained")];
        let asked = |value: &&Value| !matches!(value, Value::Null | Value::Bool(false));
        let found = |key: String| {
            let value = self.tree.pointer(&format!("/{}", key.replace('.', "/"))).filter(asked)?;
            Some((key, value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
        };
        keys.into_iter().filter_map(found).collect()
    }

    fn document(&self) -> Result<Document, OfficialConfigError> {
        serde_json::from_value(self.tree.clone())
            .map_err(|error| OfficialConfigError::Merged { problem: error.to_string() })
    }
}
