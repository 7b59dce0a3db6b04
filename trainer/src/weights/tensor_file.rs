//! Tensors as safetensors, to the bit.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use guard_core::Detached;
use safetensors::{Dtype, SafeTensorError, SafeTensors, View};
use tch::{Device, Kind, Tensor};

use super::{StateDict, WeightsError};
use crate::report::{ReportError, atomic::write_file};

/// Element types that are read and written.
const KINDS: [(Kind, Dtype); 6] = [
    (Kind::Float, Dtype::F32),
    (Kind::Double, Dtype::F64),
    (Kind::Half, Dtype::F16),
    (Kind::BFloat16, Dtype::BF16),
    (Kind::Int64, Dtype::I64),
    (Kind::Bool, Dtype::BOOL),
];

/// Writes named tensors with `header`; the old file stays whole until the new one is.
///
/// # Errors
/// When the file cannot be written.
pub fn write<'a>(
    path: &Path,
    tensors: impl IntoIterator<Item = (&'a str, Tensor)>,
    header: HashMap<String, String>,
) -> Result<(), ReportError> {
    let views = tensors.into_iter().map(|(name, tensor)| (name, Bytes::of(&tensor)));
    let refused = |e: SafeTensorError| std::io::Error::other(e.to_string());
    let bytes = safetensors::serialize(views, Some(header))
        .map_err(refused)
        .map_err(ReportError::io("write", path))?;
    write_file(path, |file| file.write_all(&bytes))
}

/// Reads a file: its tensors, and the strings of its header.
///
/// # Errors
/// When it is not a whole safetensors file, or a tensor has an unknown element type.
pub fn read(path: &Path) -> Result<(StateDict, HashMap<String, String>), WeightsError> {
    let bytes = std::fs::read(path).map_err(|cause| WeightsError::Read { path: path.to_owned(), cause })?;
    let damaged = |e: SafeTensorError| WeightsError::Damaged {
        path: path.to_owned(),
        format: "safetensors",
        problem: e.to_string(),
    };
    let (_, metadata) = SafeTensors::read_metadata(&bytes).map_err(damaged)?;
    let mut state = StateDict::new(path);
    for (name, view) in SafeTensors::deserialize(&bytes).map_err(damaged)?.tensors() {
        let kind = KINDS.iter().find(|(_, dtype)| *dtype == view.dtype()).map(|(kind, _)| *kind);
        let kind = kind.ok_or_else(|| WeightsError::ElementType {
            path: path.to_owned(),
            name: name.clone(),
            found: format!("{:?}", view.dtype()),
        })?;
        let size: Vec<i64> = view.shape().iter().map(|&d| d as i64).collect();
        state.insert(name, Detached::from(Tensor::f_from_data_size(view.data(), &size, kind)?));
    }
    Ok((state, metadata.metadata().clone().unwrap_or_default()))
}

/// The bytes of one tensor on the host.
struct Bytes {
    dtype: Dtype,
    shape: Vec<usize>,
    data: Vec<u8>,
}

impl Bytes {
    fn of(tensor: &Tensor) -> Self {
        let host = tensor.to_device(Device::Cpu).contiguous();
        let kind = host.kind();
        let dtype = KINDS.iter().find(|(k, _)| *k == kind).expect("a state holds floats, counts and masks").1;
        let mut data = vec![0; host.numel() * kind.elt_size_in_bytes()];
        host.copy_data_u8(&mut data, host.numel());
        Self { dtype, shape: host.size().iter().map(|&d| d as usize).collect(), data }
    }
}

impl View for Bytes {
    fn dtype(&self) -> Dtype {
        self.dtype
    }
    fn shape(&self) -> &[usize] {
        &self.shape
    }
    fn data(&self) -> std::borrow::Cow<'_, [u8]> {
        (&self.data).into()
    }
    fn data_len(&self) -> usize {
        self.data.len()
    }
}
