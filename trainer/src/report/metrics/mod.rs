//! The log of a run: `metrics.jsonl`, one JSON object per line.

mod record;

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use guard_core::no_retain;

pub use record::{EpochRecord, Record, RunRecord, RunStatus, StepRecord};

use super::{ReportError, RunDir, atomic};

/// Appends records to the log of a run.
#[no_retain]
#[derive(Debug)]
pub struct MetricsLog {
    path: PathBuf,
    file: File,
}

impl MetricsLog {
    /// Opens the log of the run for appending and creates it when it is missing.
    ///
    /// A last line that was cut off by a kill is removed, so that the next record starts on a line of its own.
    ///
    /// # Errors
    /// `ReportError::Io` when the file cannot be opened or repaired.
    pub fn create(run_dir: &RunDir) -> Result<Self, ReportError> {
        let path = run_dir.metrics();
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(&path)
            .map_err(ReportError::io("open", &path))?;
        drop_cut_line(&mut file).map_err(ReportError::io("repair", &path))?;
        Ok(Self { path, file })
    }

    /// Opens the log of a run that goes on from a checkpoint taken after `step` training steps.
    ///
    /// Records of later steps are removed: they describe work that the checkpoint does not hold and that is
    /// about to be done again.
    ///
    /// # Errors
    /// As `create` and `read`; the old log stays whole when the rewrite fails.
    pub fn resume(run_dir: &RunDir, step: u64) -> Result<Self, ReportError> {
        let path = run_dir.metrics();
        if path.exists() {
            let kept: Vec<Record> = read(&path)?.into_iter().filter(|record| record.step() <= step).collect();
            atomic::write_file(&path, |file| {
                kept.iter().try_for_each(|record| file.write_all(&line(record)))
            })?;
        }
        Self::create(run_dir)
    }

    /// Writes one line; it has reached the system when this returns.
    ///
    /// # Errors
    /// `ReportError::Io` when the write fails.
    pub fn append(&mut self, record: &Record) -> Result<(), ReportError> {
        // One unbuffered write per line: a reader never sees half of one.
        self.file.write_all(&line(record)).map_err(ReportError::io("write", &self.path))
    }

    /// Where the log is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn line(record: &Record) -> Vec<u8> {
    let mut line = serde_json::to_vec(record).expect("records have string keys");
    line.push(b'\n');
    line
}

fn drop_cut_line(file: &mut File) -> io::Result<()> {
    let mut text = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut text)?;
    let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    if whole < text.len() { file.set_len(whole as u64) } else { Ok(()) }
}

/// Reads the records of a log in order; an unfinished last line is left out.
///
/// # Errors
/// `ReportError::Io` when the file cannot be read; `BadRecord` with the line number when a line is no record.
pub fn read(path: &Path) -> Result<Vec<Record>, ReportError> {
    let text = std::fs::read_to_string(path).map_err(ReportError::io("read", path))?;
    let whole = text.rfind('\n').map_or(0, |at| at + 1);
    let lines = text[..whole].lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            serde_json::from_str(line).map_err(|cause| ReportError::BadRecord {
                path: path.to_path_buf(),
                line: index + 1,
                cause,
            })
        })
        .collect()
}
