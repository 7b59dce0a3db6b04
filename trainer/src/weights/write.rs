//! Writing weights for other programs.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use super::{StateDict, WeightsError, config_json::config_json, hugging_face::to_hugging_face, tensor_file};
use crate::model::RtDetrConfig;
use crate::report::{ReportError, atomic::write_file};

/// Writes `state` as safetensors under its own names.
///
/// # Errors
/// When the file cannot be written.
pub fn write_state(path: &Path, state: &StateDict) -> Result<(), WeightsError> {
    // transformers asks for this mark.
    let header = HashMap::from([("format".to_owned(), "pt".to_owned())]);
    Ok(tensor_file::write(path, state.iter(), header)?)
}

/// Writes a folder that `RTDetrV2ForObjectDetection.from_pretrained` reads: `model.safetensors` and `config.json`.
///
/// # Errors
/// A setting that Hugging Face's model does not have; a file that cannot be written.
pub fn write_hugging_face(
    folder: &Path,
    state: &StateDict,
    network: &RtDetrConfig,
    classes: &[String],
) -> Result<(), WeightsError> {
    let config = config_json(network, classes)?;
    let hub = to_hugging_face(state, network.decoder.eval_layer())?;
    std::fs::create_dir_all(folder).map_err(ReportError::io("create", folder))?;
    write_state(&folder.join("model.safetensors"), &hub)?;
    let text = serde_json::to_string_pretty(&config).expect("plain data serialises");
    Ok(write_file(&folder.join("config.json"), |file| writeln!(file, "{text}"))?)
}
