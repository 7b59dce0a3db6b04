//! The folder of one training run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use guard_core::no_retain;

use super::metrics::{self, RunStatus};
use super::{Record, ReportError, atomic};

/// The newest checkpoint.
const LAST: &str = "last.safetensors";
/// The checkpoint with the highest AP.
const BEST: &str = "best.safetensors";

/// The best checkpoint in the folder of a run, or the last where there is no best.
pub fn weights_in(folder: &Path) -> Option<PathBuf> {
    [BEST, LAST].map(|name| folder.join(name)).into_iter().find(|file| file.exists())
}

/// Every file a run writes; only these are ever replaced or removed.
const FILES: [&str; 7] =
    ["metrics.jsonl", LAST, BEST, "config.toml", "loss.png", "memory.png", "predictions.png"];

/// What to do when the folder already holds a run.
#[no_retain]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Refuse, and name the flags that would go on.
    Refuse,
    /// Remove the files of the old run; other files in the folder stay.
    Overwrite,
    /// Keep them and append.
    Resume,
}

/// The folder of one training run and the names of its files.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunDir {
    path: PathBuf,
}

impl RunDir {
    /// Creates the folder, or takes over an existing one as `existing` says.
    ///
    /// A new folder may already hold foreign files; only the names in this module belong to a run.
    ///
    /// # Errors
    /// `FinishedRun`, `UnfinishedRun` when a run is there and `existing` is `Refuse`; `NothingToResume` when a
    /// resumed folder has no last checkpoint; `NotADirectory`; `Io` when the folder cannot be made or written to.
    pub fn create(path: impl Into<PathBuf>, existing: Existing) -> Result<Self, ReportError> {
        let run = Self { path: path.into() };
        if run.path.exists() && !run.path.is_dir() {
            return Err(ReportError::NotADirectory { path: run.path });
        }
        if existing == Existing::Resume && !run.last_checkpoint().exists() {
            return Err(ReportError::NothingToResume { path: run.path });
        }
        fs::create_dir_all(&run.path).map_err(ReportError::io("create", &run.path))?;
        run.probe_writable()?;
        match existing {
            Existing::Refuse => run.refuse_existing()?,
            Existing::Overwrite => run.remove_files()?,
            Existing::Resume => {}
        }
        FILES.iter().try_for_each(|name| atomic::remove_partials(&run.path.join(name)))?;
        Ok(run)
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The resolved configuration, `config.toml`.
    pub fn config(&self) -> PathBuf {
        self.path.join("config.toml")
    }

    /// The log, `metrics.jsonl`.
    pub fn metrics(&self) -> PathBuf {
        self.path.join("metrics.jsonl")
    }

    /// The newest checkpoint, `last.safetensors`.
    pub fn last_checkpoint(&self) -> PathBuf {
        self.path.join(LAST)
    }

    /// The checkpoint with the highest AP, `best.safetensors`.
    pub fn best_checkpoint(&self) -> PathBuf {
        self.path.join(BEST)
    }

    /// Loss, AP and learning rate over the run, `loss.png`.
    pub fn loss_png(&self) -> PathBuf {
        self.path.join("loss.png")
    }

    /// Memory over the run, `memory.png`.
    pub fn memory_png(&self) -> PathBuf {
        self.path.join("memory.png")
    }

    /// Predictions against ground truth, `predictions.png`.
    pub fn predictions_png(&self) -> PathBuf {
        self.path.join("predictions.png")
    }

    fn probe_writable(&self) -> Result<(), ReportError> {
        let probe = self.path.join(format!(".writable.{}", std::process::id()));
        fs::write(&probe, b"").map_err(ReportError::io("write to", &self.path))?;
        fs::remove_file(&probe).map_err(ReportError::io("remove", &probe))
    }

    fn refuse_existing(&self) -> Result<(), ReportError> {
        let Some(found) = FILES.iter().find(|name| self.path.join(name).exists()) else {
            return Ok(());
        };
        let path = self.path.clone();
        match self.is_finished()? {
            true => Err(ReportError::FinishedRun { path, found }),
            false => Err(ReportError::UnfinishedRun { path, found }),
        }
    }

    fn is_finished(&self) -> Result<bool, ReportError> {
        if !self.metrics().exists() {
            return Ok(false);
        }
        let last_run = metrics::read(&self.metrics())?.into_iter().rev().find_map(|record| match record {
            Record::Run(run) => Some(run.status),
            _ => None,
        });
        Ok(last_run == Some(RunStatus::Finished))
    }

    fn remove_files(&self) -> Result<(), ReportError> {
        for path in FILES.map(|name| self.path.join(name)) {
            match fs::remove_file(&path) {
                Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
                    return Err(ReportError::Io { action: "remove", path, cause });
                }
                _ => {}
            }
        }
        Ok(())
    }
}
