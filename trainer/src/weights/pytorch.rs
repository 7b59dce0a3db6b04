//! PyTorch checkpoints, read as data: nothing in the pickle is imported or called.

use std::path::Path;

use guard_core::{Detached, no_retain};
use pytorch_reader::{DType, PickleValue, PytorchError, PytorchReader};
use tch::{Kind, Tensor};

use super::{StateDict, WeightsError};

/// Where the official code keeps weights in a checkpoint, the averaged ones first.
const SECTIONS: [&str; 3] = ["ema.module.", "model.", "state_dict."];

/// What a checkpoint holds.
#[no_retain]
pub struct PytorchFile {
    /// The weights, without the names of the sections around them.
    pub state: StateDict,
    /// The section that they come from, such as `ema.module`; empty for a bare state dict.
    pub section: &'static str,
    /// Python objects that were left unread: where they stand, and their type.
    pub foreign: Vec<(String, String)>,
}

/// Reads the averaged weights of a checkpoint, or the only ones.
///
/// # Errors
/// When the file is damaged, holds no tensors, or a tensor that cannot be represented.
pub fn read(path: &Path) -> Result<PytorchFile, WeightsError> {
    let reader = PytorchReader::new(path).map_err(|e| refused(path, e))?;
    let foreign = foreign_objects(path)?;
    let names = reader.keys();
    let has = |section: &&str| names.iter().any(|name| name.starts_with(*section));
    // A bare state dict of another framework may name its parts `model.` too: that is its own name then.
    let official = |section: &&str| has(section) && names.iter().any(|name| in_network(name, section));
    let section = SECTIONS.into_iter().find(|section| official(section)).unwrap_or("");
    let mut state = StateDict::new(path);
    for (name, tensor) in reader.tensors() {
        let Some(name) = name.strip_prefix(section) else { continue };
        let name = name.strip_prefix("module.").unwrap_or(name);
        state.insert(name.to_owned(), Detached::from(to_tensor(path, name, tensor)?));
    }
    if state.is_empty() {
        let found = match foreign.first() {
            Some((at, class)) => format!("`{class}` at `{at}`, which is not a tensor and was not loaded"),
            None => "no tensor at all".to_owned(),
        };
        return Err(WeightsError::NoWeights { path: path.to_owned(), found });
    }
    Ok(PytorchFile { state, section: section.trim_end_matches('.'), foreign })
}

/// Whether `name`, behind `section`, is the name of a part of the network.
fn in_network(name: &str, section: &str) -> bool {
    let rest = name.strip_prefix(section).map(|rest| rest.strip_prefix("module.").unwrap_or(rest));
    let part = rest.and_then(|rest| rest.split('.').next());
    match section {
        "model." => matches!(part, Some("backbone" | "encoder" | "decoder")),
        _ => part.is_some(),
    }
}

/// Reads the elements of one tensor.
fn to_tensor(path: &Path, name: &str, tensor: &pytorch_reader::Tensor) -> Result<Tensor, WeightsError> {
    let kind = match tensor.dtype() {
        DType::F32 => Kind::Float,
        DType::F64 => Kind::Double,
        DType::F16 => Kind::Half,
        DType::BF16 => Kind::BFloat16,
        DType::I64 => Kind::Int64,
        DType::Bool => Kind::Bool,
        other => {
            let found = format!("{other:?}");
            return Err(WeightsError::ElementType { path: path.to_owned(), name: name.to_owned(), found });
        }
    };
    let bytes = tensor.read().map_err(|e| damaged(path, &format!("tensor `{name}`: {e}")))?;
    let size: Vec<i64> = tensor.shape().iter().map(|&d| d as i64).collect();
    Ok(Tensor::f_from_data_size(&bytes, &size, kind)?)
}

/// Objects that are neither tensors nor plain values.
fn foreign_objects(path: &Path) -> Result<Vec<(String, String)>, WeightsError> {
    let root = PytorchReader::read_pickle_data(path, None).map_err(|e| refused(path, e))?;
    let mut found = Vec::new();
    collect_foreign(&root, "", &mut found);
    found.sort();
    Ok(found)
}

fn collect_foreign(value: &PickleValue, at: &str, found: &mut Vec<(String, String)>) {
    let below = |key: &str| if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") };
    match value {
        PickleValue::Dict(entries) => {
            entries.iter().for_each(|(key, value)| collect_foreign(value, &below(key), found));
        }
        PickleValue::List(items) => {
            let numbered = items.iter().enumerate();
            numbered.for_each(|(i, value)| collect_foreign(value, &below(&i.to_string()), found));
        }
        PickleValue::Unsupported(class) if !class.starts_with("torch.") => {
            found.push((at.to_owned(), class.clone()));
        }
        _ => {}
    }
}

fn refused(path: &Path, error: PytorchError) -> WeightsError {
    match error {
        PytorchError::InvalidFormat(found) if found.contains("Expected a dictionary") => {
            WeightsError::NoWeights { path: path.to_owned(), found }
        }
        PytorchError::Io(cause) if cause.kind() == std::io::ErrorKind::PermissionDenied => {
            WeightsError::Read { path: path.to_owned(), cause }
        }
        other => damaged(path, &other.to_string()),
    }
}

fn damaged(path: &Path, problem: &str) -> WeightsError {
    WeightsError::Damaged { path: path.to_owned(), format: "PyTorch", problem: problem.to_owned() }
}
