//! Reading weights in whichever form they come.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use guard_core::no_retain;

use super::{HuggingFaceConfig, StateDict, WeightsError, error::some_of, hugging_face, pytorch, tensor_file};
use crate::report::run_dir;
use crate::train::checkpoint::{CheckpointMeta, header_meta};

/// The form in which weights came.
#[derive(Debug, Clone, PartialEq, Eq)]
#[no_retain]
pub enum Format {
    /// A checkpoint of this trainer.
    Trainer,
    /// A PyTorch checkpoint, and the section of it that was read.
    Pytorch(&'static str),
    /// Safetensors under the official keys.
    Official,
    /// Safetensors of Hugging Face's `RTDetrV2ForObjectDetection`.
    HuggingFace,
}

/// How much of the network the weights are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[no_retain]
pub enum Contents {
    /// Backbone, encoder and decoder.
    Network,
    /// The backbone alone.
    Backbone,
}

/// Weights under the official keys, and what else their file says.
#[derive(Debug)]
#[no_retain]
pub struct WeightsFile {
    /// The form they came in.
    pub format: Format,
    /// How much of the network they are.
    pub contents: Contents,
    /// The tensors.
    pub state: StateDict,
    /// The facts of the run, from a checkpoint of this trainer.
    pub meta: Option<CheckpointMeta>,
    /// `config.json` from beside a Hugging Face file.
    pub config_json: Option<HuggingFaceConfig>,
    /// What was left unread, each a sentence.
    pub notes: Vec<String>,
}

impl WeightsFile {
    /// Reads a file, or the weights in the folder of a run or of a Hugging Face model.
    ///
    /// # Errors
    /// When the file cannot be read, is damaged, or holds no weights.
    pub fn read(path: &Path) -> Result<Self, WeightsError> {
        let path = find(path)?;
        let file = match container(&path)? {
            Container::Safetensors => Self::from_safetensors(&path)?,
            Container::Pytorch => Self::from_pytorch(&path)?,
        };
        Ok(file.recognise_backbone())
    }

    fn from_pytorch(path: &Path) -> Result<Self, WeightsError> {
        let pytorch::PytorchFile { state, section, foreign } = pytorch::read(path)?;
        let notes = foreign.iter().map(|(at, class)| {
            format!("`{at}` is a Python object ({class}); it was neither loaded nor called")
        });
        let notes = notes.collect();
        let file = Self::bare(Format::Pytorch(section), state);
        Self { notes, ..file }.recognise_names()
    }

    fn from_safetensors(path: &Path) -> Result<Self, WeightsError> {
        let (state, header) = tensor_file::read(path)?;
        let unread = |problem| WeightsError::Damaged { path: path.to_owned(), format: "checkpoint", problem };
        match header_meta(&header).map_err(unread)? {
            Some(meta) => {
                // `last` holds the trained and the averaged weights: the latter are what is evaluated and released.
                let state = state.section("ema.").unwrap_or_else(|whole| whole);
                Ok(Self { meta: Some(meta), ..Self::bare(Format::Trainer, state) })
            }
            None => Self::bare(Format::Official, state).recognise_names(),
        }
    }

    fn bare(format: Format, state: StateDict) -> Self {
        let (contents, meta, config_json) = (Contents::Network, None, None);
        Self { format, contents, state, meta, config_json, notes: Vec::new() }
    }

    /// Gives Hugging Face's and older official names their official form.
    fn recognise_names(self) -> Result<Self, WeightsError> {
        if self.state.is_empty() {
            let found = "no tensor at all".to_owned();
            return Err(WeightsError::NoWeights { path: self.state.path().to_owned(), found });
        }
        if !hugging_face::is_hugging_face(&self.state) {
            let state = self.state.rename(|name| Some(current_name(name)));
            return Ok(Self { state, ..self });
        }
        let config_json = HuggingFaceConfig::beside(self.state.path())?;
        let state = hugging_face::from_hugging_face(self.state)?;
        Ok(Self { format: Format::HuggingFace, state, config_json, ..self })
    }

    /// Puts `backbone.` before the names of a backbone that was saved alone.
    fn recognise_backbone(self) -> Self {
        let has = |part: &str| self.state.has_prefix(part);
        let whole = has("backbone.conv1.conv1_1.") || has("backbone.stem.stem1.");
        let bare = has("conv1.conv1_1.") || has("stem.stem1.");
        let prefix = if whole { "backbone." } else { "" };
        let part = |name: &str| name.strip_prefix(prefix)?.split('.').next().map(str::to_owned);
        let of_backbone = |name| part(name).is_some_and(|part| BACKBONE_PARTS.contains(&part.as_str()));
        if !(whole || bare) || !self.state.names().all(of_backbone) {
            return self;
        }
        let name = |name: &str| Some(if whole { name.to_owned() } else { format!("backbone.{name}") });
        Self { contents: Contents::Backbone, state: self.state.rename(name), ..self }
    }

    /// Asks for a whole network.
    ///
    /// # Errors
    /// When the file holds a backbone alone, or something else.
    pub fn expect_network(&self) -> Result<(), WeightsError> {
        let missing = match self.contents {
            Contents::Backbone => "a backbone alone, without encoder and decoder".to_owned(),
            Contents::Network if self.state.has_prefix("decoder.") => return Ok(()),
            Contents::Network => "no tensor is named `decoder.…`".to_owned(),
        };
        let names: Vec<&str> = self.state.names().collect();
        let found = some_of(names.into_iter());
        Err(WeightsError::Architecture { path: self.state.path().to_owned(), problem: missing, found })
    }
}

/// What the names of a ResNet-vd and of an HGNetV2 start with.
const BACKBONE_PARTS: [&str; 4] = ["conv1", "res_layers", "stem", "stages"];

/// How the bytes are laid out.
enum Container {
    Safetensors,
    Pytorch,
}

/// Tells by the first bytes, whatever the file is called.
fn container(path: &Path) -> Result<Container, WeightsError> {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(512).read_to_end(&mut start));
    read.map_err(|cause| WeightsError::Read { path: path.to_owned(), cause })?;
    match start.as_slice() {
        // The length of the header, then the header, which is JSON.
        [_, _, _, _, _, 0, 0, 0, b'{', ..] => Ok(Container::Safetensors),
        [b'P', b'K', 3, 4, ..] | [0x80, 1..=5, ..] => Ok(Container::Pytorch),
        // A tar archive names its kind here.
        tar if tar.get(257..262) == Some(b"ustar") => Ok(Container::Pytorch),
        other => {
            let found = match other {
                [] => "nothing: it is empty".to_owned(),
                bytes => format!("`{}`", bytes[..bytes.len().min(12)].escape_ascii()),
            };
            Err(WeightsError::NotWeights { path: path.to_owned(), found })
        }
    }
}

/// The file itself, or the weights in a folder.
fn find(path: &Path) -> Result<PathBuf, WeightsError> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let hub = Some(path.join("model.safetensors")).filter(|file| file.exists());
    hub.or_else(|| run_dir::weights_in(path)).ok_or_else(|| WeightsError::Folder { path: path.to_owned() })
}

/// The present name of a tensor: the first version of the encoder numbered the parts of `input_proj`.
fn current_name(name: &str) -> String {
    let Some((level, rest)) = name.strip_prefix("encoder.input_proj.").and_then(|rest| rest.split_once('.'))
    else {
        return name.to_owned();
    };
    match rest.split_once('.') {
        Some(("0", part)) => format!("encoder.input_proj.{level}.conv.{part}"),
        Some(("1", part)) => format!("encoder.input_proj.{level}.norm.{part}"),
        _ => name.to_owned(),
    }
}
