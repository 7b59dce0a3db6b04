//! What can go wrong with weights from elsewhere.

use std::path::PathBuf;

use super::LoadReport;
use crate::{model::ConfigError, report::ReportError};

/// Weights that cannot be read, loaded or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WeightsError {
    /// The file cannot be opened.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// A folder without weights.
    #[error("{}: a folder without model.safetensors, best.safetensors or last.safetensors; name a file", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
    },
    /// The file holds no weights in a known form.
    #[error(
        "{}: neither a safetensors file nor a PyTorch checkpoint (it starts with {found}); \
         expected a .pth that torch.save wrote, or a .safetensors", path.display()
    )]
    NotWeights {
        /// The file.
        path: PathBuf,
        /// Its first bytes.
        found: String,
    },
    /// The file is cut short or damaged.
    #[error("{}: not a whole {format} file ({problem}); put back a copy of it", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What it starts out as.
        format: &'static str,
        /// What the reader stumbled over.
        problem: String,
    },
    /// The file is whole, but holds no tensor where weights are expected.
    #[error(
        "{}: no weights in it: found {found}; expected tensors under `ema.module`, `model` or at the top", path.display()
    )]
    NoWeights {
        /// The file.
        path: PathBuf,
        /// What it holds instead.
        found: String,
    },
    /// A tensor has an element type that nothing here computes with.
    #[error("{}: tensor `{name}` has element type {found}, expected {EXPECTED_KINDS}", path.display())]
    ElementType {
        /// The file.
        path: PathBuf,
        /// The tensor.
        name: String,
        /// Its element type.
        found: String,
    },
    /// A name does not belong to the form that the file otherwise has.
    #[error("{}: tensor `{name}` has no place in {expected}", path.display())]
    UnknownName {
        /// The file.
        path: PathBuf,
        /// The tensor.
        name: String,
        /// The form.
        expected: &'static str,
    },
    /// The parts of a packed tensor do not fit each other.
    #[error("{}: `{name}` needs {expected}, found {found}", path.display())]
    Parts {
        /// The file.
        path: PathBuf,
        /// The tensor to be made.
        name: String,
        /// The parts that make it.
        expected: String,
        /// What is there.
        found: String,
    },
    /// The tensors are not those of an RT-DETR v2.
    #[error("{}: not the weights of an RT-DETR v2: {problem} (it holds {found})", path.display())]
    Architecture {
        /// The file.
        path: PathBuf,
        /// The tensor that is missing or of the wrong rank.
        problem: String,
        /// The first names in the file.
        found: String,
    },
    /// The tensors are those of another network.
    #[error("{}: does not fit the network {network}:\n{report}", path.display())]
    Misfit {
        /// The file.
        path: PathBuf,
        /// Where the network comes from.
        network: String,
        /// Which tensors are missing, left over or of another shape.
        report: Box<LoadReport>,
    },
    /// The Hugging Face model cannot express a setting.
    #[error("Hugging Face's RTDetrV2ForObjectDetection has no `{field}` of {found}, only {expected}")]
    NotInHuggingFace {
        /// The setting.
        field: &'static str,
        /// The value of this network.
        found: String,
        /// What it can express.
        expected: &'static str,
    },
    /// A `config.json` is not of the expected model.
    #[error("{}: {problem}", path.display())]
    ConfigJson {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// No network can be built from the configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A file cannot be written.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// libtorch refused an operation.
    #[error("libtorch: {0}")]
    Torch(#[from] tch::TchError),
}

const EXPECTED_KINDS: &str = "float32, float64, float16, bfloat16, int64 or bool";

/// The first few of `names`, and how many more there are.
pub(super) fn some_of<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    const SHOWN: usize = 4;
    let more = names.len().saturating_sub(SHOWN);
    let shown: Vec<_> = names.take(SHOWN).map(|name| format!("`{name}`")).collect();
    match (shown.is_empty(), more) {
        (true, _) => "nothing".to_owned(),
        (_, 0) => shown.join(", "),
        (_, more) => format!("{} and {more} more", shown.join(", ")),
    }
}
