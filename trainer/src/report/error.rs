//! What can go wrong while a report is written.

use std::error::Error;
use std::io;
use std::path::PathBuf;

/// A run directory, log or picture that could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The file system refused; `action` is a verb such as "create" or "write".
    #[error("cannot {action} {}: {cause}; check that the folder exists, is writable and has space left", path.display())]
    Io {
        /// What was attempted.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system answered.
        #[source]
        cause: io::Error,
    },
    /// The run directory already holds a run that trained to its end.
    #[error(
        "{} already holds a finished run ({found}); pick another directory, or pass --overwrite to replace it",
        path.display()
    )]
    FinishedRun {
        /// The run directory.
        path: PathBuf,
        /// The file that says so.
        found: &'static str,
    },
    /// The run directory holds a run that was interrupted.
    #[error(
        "{} already holds an unfinished run ({found}); pass --resume to go on with it, --overwrite to replace it, \
         or pick another directory",
        path.display()
    )]
    UnfinishedRun {
        /// The run directory.
        path: PathBuf,
        /// The file that says so.
        found: &'static str,
    },
    /// `--resume` was asked for a directory without a checkpoint.
    #[error("{} has no last.safetensors to resume from; start without --resume", path.display())]
    NothingToResume {
        /// The run directory.
        path: PathBuf,
    },
    /// The path of the run directory is a file.
    #[error("{} is a file; the run directory must be a folder: pick another path", path.display())]
    NotADirectory {
        /// The path that was given.
        path: PathBuf,
    },
    /// A line of a metrics log is not a record.
    #[error("{}, line {line}: {cause}; remove the line, or the whole file to start the log anew", path.display())]
    BadRecord {
        /// The log.
        path: PathBuf,
        /// Counted from one.
        line: usize,
        /// What the parser answered.
        #[source]
        cause: serde_json::Error,
    },
    /// There is nothing to draw: `what` names the missing points.
    #[error("cannot draw {}: it has no {what}", path.display())]
    Empty {
        /// The picture.
        path: PathBuf,
        /// What is missing.
        what: &'static str,
    },
    /// The drawing or the encoding failed.
    #[error("cannot draw {}: {cause}", path.display())]
    Draw {
        /// The picture.
        path: PathBuf,
        /// What the drawing library answered.
        #[source]
        cause: Box<dyn Error + Send + Sync>,
    },
}

impl ReportError {
    /// Adds the attempted action and the path to an I/O error.
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |cause| Self::Io { action, path, cause }
    }

    /// Adds the path of the picture to an error of the drawing library.
    pub(crate) fn draw<E: Error + Send + Sync + 'static>(path: impl Into<PathBuf>) -> impl FnOnce(E) -> Self {
        let path = path.into();
        move |cause| Self::Draw { path, cause: Box::new(cause) }
    }
}
