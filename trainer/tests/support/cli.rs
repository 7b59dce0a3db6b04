//! Running the binary and reading what it says.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use super::tiny;

/// The binary with `args`, on one thread, in `folder`.
pub fn command<A: AsRef<OsStr>>(folder: &Path, args: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trainer"));
    command.args(args).current_dir(folder).env("OMP_NUM_THREADS", "1").env("RUST_BACKTRACE", "0");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What a finished process left.
#[derive(Debug)]
pub struct Outcome {
    /// The exit code; `None` after a signal.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl Outcome {
    /// Panics unless the process succeeded.
    pub fn succeeded(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self
    }

    /// Panics unless the process failed with a message that holds all of `parts` and no panic.
    pub fn failed_saying(self, parts: &[&str]) {
        assert!(!matches!(self.code, Some(0 | 101) | None), "exit code {:?}\n{}", self.code, self.stderr);
        self.says(parts);
    }

    /// Panics unless standard error holds all of `parts` and no panic.
    pub fn says(&self, parts: &[&str]) {
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        // Long messages are wrapped by clap.
        let flat = self.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in parts {
            assert!(flat.contains(part), "`{part}` is not in:\n{}", self.stderr);
        }
    }
}

/// An image file in memory, in the format of the ending of `name`.
pub fn picture(name: &str, width: u32, height: u32) -> Vec<u8> {
    let image =
        image::RgbImage::from_fn(width, height, |x, y| image::Rgb([(x * 3) as u8, (y * 3) as u8, 128]));
    let mut bytes = std::io::Cursor::new(Vec::new());
    image.write_to(&mut bytes, image::ImageFormat::from_path(name).expect("a known ending")).expect("memory");
    bytes.into_inner()
}

/// An empty working folder.
pub struct Place(TempDir);

impl Place {
    /// With the tiny configuration in `tiny.toml`.
    pub fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("a folder"));
        place.write("tiny.toml", toml::to_string(&tiny::config()).expect("TOML"));
        place
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    /// A path in it.
    pub fn path(&self, part: &str) -> PathBuf {
        self.0.path().join(part)
    }

    /// Writes a file, and the folders above it.
    pub fn write(&self, part: &str, content: impl AsRef<[u8]>) {
        let path = self.path(part);
        std::fs::create_dir_all(path.parent().expect("a folder above")).expect("a folder");
        std::fs::write(path, content).expect("a file");
    }

    /// Writes the untrained weights of the tiny configuration, as a run that has finished leaves them.
    pub fn add_weights(&self, run: &str) {
        std::fs::create_dir_all(self.path(run)).expect("a folder");
        let released = tiny::session(&tiny::config(), 4).release();
        released.save(&self.path(run).join("best.safetensors")).expect("a writable folder");
    }

    /// Reads a JSON file.
    pub fn json(&self, part: &str) -> serde_json::Value {
        let text = std::fs::read_to_string(self.path(part)).unwrap_or_else(|e| panic!("{part}: {e}"));
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{part}: {e}"))
    }

    /// Runs the binary to its end; `args` is split at spaces.
    pub fn run(&self, args: &str) -> Outcome {
        command(self.folder(), args.split(' ')).output().expect("the binary starts").into()
    }
}
