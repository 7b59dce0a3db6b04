//! Weights from elsewhere: reading, renaming, loading and writing them.
//!
//! | form | read | written |
//! | --- | --- | --- |
//! | checkpoint of this trainer (safetensors with the facts of the run in its header) | yes | yes |
//! | official `.pth`: `ema.module`, `model`, or the bare state dict | yes | no |
//! | safetensors under the official keys | yes | yes |
//! | Hugging Face `RTDetrV2ForObjectDetection` safetensors, of the hub and of transformers 5 | yes | as on the hub |
//! | a backbone alone | yes | under the official keys |
//!
//! What a file is, its content decides and never its name. A pickle is read as data: nothing that it names is imported or
//! called. Inside, names are always the official state-dict keys.

mod config_json;
pub mod deploy;
mod error;
mod hugging_face;
mod infer;
mod load;
mod pytorch;
mod read;
mod state;
pub(crate) mod tensor_file;
mod write;

pub use config_json::HuggingFaceConfig;
pub use error::WeightsError;
pub use hugging_face::{from_hugging_face, to_hugging_face};
pub use infer::{infer_network, nearest_preset};
pub use load::{LoadReport, Misfit, load_exact, load_matching};
pub use read::{Contents, Format, WeightsFile};
pub use state::StateDict;
pub use write::{write_hugging_face, write_state};
