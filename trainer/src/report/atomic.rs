//! Writing a file so that its path only ever shows a whole version of it.
//!
//! The new content goes to a hidden neighbour, is synced to disk, and is renamed over the path.
//! A write that fails, panics or is killed leaves the old file as it was.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use guard_core::no_retain;

use super::ReportError;

/// Replaces the file at `path` by what `write` puts into the writer it is given.
///
/// # Errors
/// `ReportError::Io` when the neighbour cannot be created, `write` fails, or the rename fails; `path` is then
/// unchanged.
pub fn write_file(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), ReportError> {
    write_via(path, |partial| {
        let file = File::create(partial).map_err(ReportError::io("write", path))?;
        let mut writer = BufWriter::new(file);
        write(&mut writer).and_then(|()| writer.flush()).map_err(ReportError::io("write", path))
    })
}

/// Replaces the file at `path` by what `save` writes to the path it is given.
///
/// For libraries that save to a path and not to a writer.
///
/// # Errors
/// What `save` returns; `ReportError::Io` when syncing or renaming fails. `path` is then unchanged.
pub fn write_via<E: From<ReportError>>(
    path: &Path,
    save: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    let partial = Partial::beside(path);
    save(&partial.0)?;
    Ok(partial.publish(path).map_err(ReportError::io("write", path))?)
}

/// A file that grows piece by piece and replaces the one at its path when it is finished.
///
/// Dropped before that, it leaves the old file as it was.
#[no_retain]
#[derive(Debug)]
pub struct GrowingFile {
    path: PathBuf,
    partial: Partial,
    writer: BufWriter<File>,
}

impl GrowingFile {
    /// Starts the file that will stand at `path`.
    ///
    /// # Errors
    /// `ReportError::Io` when the neighbour cannot be created.
    pub fn create(path: &Path) -> Result<Self, ReportError> {
        let partial = Partial::beside(path);
        let file = File::create(&partial.0).map_err(ReportError::io("write", path))?;
        Ok(Self { path: path.to_owned(), partial, writer: BufWriter::new(file) })
    }

    /// Appends to it.
    ///
    /// # Errors
    /// `ReportError::Io`, such as on a full disk.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), ReportError> {
        self.writer.write_all(bytes).map_err(ReportError::io("write", &self.path))
    }

    /// Puts it in its place.
    ///
    /// # Errors
    /// `ReportError::Io` when syncing or renaming fails; the old file then stays.
    pub fn finish(self) -> Result<(), ReportError> {
        let Self { path, partial, mut writer } = self;
        writer.flush().and_then(|()| partial.publish(&path)).map_err(ReportError::io("write", path))
    }
}

/// Removes the neighbours that killed processes left beside `path`.
///
/// # Errors
/// `ReportError::Io` when the folder cannot be listed or a neighbour cannot be removed.
pub fn remove_partials(path: &Path) -> Result<(), ReportError> {
    let folder = parent(path);
    let prefix = partial_prefix(path);
    for entry in fs::read_dir(folder).map_err(ReportError::io("list", folder))? {
        let entry = entry.map_err(ReportError::io("list", folder))?;
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        if name.starts_with(prefix.as_encoded_bytes()) && name.ends_with(b".partial") {
            fs::remove_file(entry.path()).map_err(ReportError::io("remove", entry.path()))?;
        }
    }
    Ok(())
}

/// The hidden neighbour; removed when dropped before it was published.
#[no_retain]
#[derive(Debug)]
struct Partial(PathBuf);

impl Partial {
    fn beside(path: &Path) -> Self {
        let mut name = partial_prefix(path);
        name.push(format!("{}.partial", std::process::id()));
        Self(path.with_file_name(name))
    }

    fn publish(self, path: &Path) -> io::Result<()> {
        OpenOptions::new().write(true).open(&self.0)?.sync_all()?;
        fs::rename(&self.0, path)?;
        // The rename itself must reach the disk too; not every file system can sync a folder.
        if let Ok(folder) = File::open(parent(path)) {
            folder.sync_all().ok();
        }
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // After `publish` there is nothing left under this name; before it, the caller already has an error.
        fs::remove_file(&self.0).ok();
    }
}

fn partial_prefix(path: &Path) -> OsString {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".");
    name
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
