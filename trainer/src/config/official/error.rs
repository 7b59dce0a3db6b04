//! What can be wrong with an official configuration.

use std::path::PathBuf;

use guard_core::no_retain;

/// An official configuration that no run can follow.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[no_retain]
pub enum OfficialConfigError {
    /// A file cannot be read.
    #[error("cannot read the configuration {}{}: {cause}", path.display(), included_by(from))]
    Read {
        /// The file.
        path: PathBuf,
        /// The file that includes it.
        from: Option<PathBuf>,
        /// Why.
        cause: std::io::Error,
    },
    /// A file is not an official configuration.
    #[error("{} is not an RT-DETR v2 configuration: {cause}", path.display())]
    Parse {
        /// The file.
        path: PathBuf,
        /// Line, column and what was expected.
        cause: String,
    },
    /// Files include each other.
    #[error("the configuration includes itself: {}", path_list(files))]
    IncludeCycle {
        /// The files, each including the next.
        files: Vec<PathBuf>,
    },
    /// An override is not `key=value`, or its key is unknown.
    #[error("the override `{text}` cannot be followed: {problem}")]
    Override {
        /// The override.
        text: String,
        /// What is wrong.
        problem: String,
    },
    /// The merged files do not fit together.
    #[error("the merged configuration is inconsistent: {problem}")]
    Merged {
        /// What is wrong.
        problem: String,
    },
    /// A key that has no default is missing.
    #[error("the configuration has no `{key}`; add it, or include the file that has it")]
    Missing {
        /// The key's path.
        key: &'static str,
    },
    /// A value asks for what this trainer does not have.
    #[error("`{key}` is {found}, but this trainer has {supported}")]
    Unsupported {
        /// The key's path.
        key: &'static str,
        /// The value given.
        found: String,
        /// What there is instead.
        supported: &'static str,
    },
}

fn included_by(from: &Option<PathBuf>) -> String {
    from.as_ref().map_or_else(String::new, |from| format!(", which {} includes", from.display()))
}

fn path_list(files: &[PathBuf]) -> String {
    files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(" -> ")
}
