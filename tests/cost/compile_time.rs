//! What the attribute costs at compile time: `cargo check` of generated model and loop code, with and without it.

use std::{fs, io, path::Path, path::PathBuf, process::Command, time::Duration};

use crate::{generate, usage};

/// Lines of the generated crate, attributes not counted.
const LINES: usize = 10_000;

/// What was measured.
pub struct Report {
    /// Lines of the plain crate.
    pub lines: usize,
    /// Attributes that the other crate adds.
    pub attributes: usize,
    /// CPU time of each check: plain, annotated.
    pub pairs: Vec<(Duration, Duration)>,
}

impl Report {
    /// The median of the ratios of the pairs.
    pub fn ratio(&self) -> f64 {
        median(self.pairs.iter().map(|(plain, annotated)| annotated.as_secs_f64() / plain.as_secs_f64()))
    }

    /// The median times in seconds: plain, annotated.
    pub fn seconds(&self) -> (f64, f64) {
        let plain = median(self.pairs.iter().map(|pair| pair.0.as_secs_f64()));
        (plain, median(self.pairs.iter().map(|pair| pair.1.as_secs_f64())))
    }
}

/// Checks both crates `pairs` times in turn, their dependencies built before.
///
/// # Errors
/// A file that cannot be written, or a crate that does not compile.
pub fn measure(workspace: &Path, pairs: usize) -> io::Result<Report> {
    let crates = Crates::write(workspace)?;
    crates.check("plain")?;
    crates.check("annotated")?;
    let mut report = Report { lines: crates.lines, attributes: crates.attributes, pairs: Vec::new() };
    for turn in 0..pairs {
        let names = if turn % 2 == 0 { ["plain", "annotated"] } else { ["annotated", "plain"] };
        let [first, second] = [crates.check(names[0])?, crates.check(names[1])?];
        report.pairs.push(if turn % 2 == 0 { (first, second) } else { (second, first) });
    }
    Ok(report)
}

/// A workspace of the two crates.
struct Crates {
    root: PathBuf,
    target: PathBuf,
    lines: usize,
    attributes: usize,
}

impl Crates {
    fn write(workspace: &Path) -> io::Result<Self> {
        let root = workspace.join("target/cost");
        let (plain, annotated) = (generate::source(LINES, false), generate::source(LINES, true));
        for (name, source) in [("plain", &plain), ("annotated", &annotated)] {
            fs::create_dir_all(root.join(name).join("src"))?;
            fs::write(root.join(name).join("src/lib.rs"), &source.text)?;
            fs::write(root.join(name).join("Cargo.toml"), package(name))?;
        }
        fs::write(root.join("Cargo.toml"), manifest(workspace))?;
        fs::copy(workspace.join("Cargo.lock"), root.join("Cargo.lock"))?;
        let lines = plain.text.lines().count();
        Ok(Self { root, target: workspace.join("target"), lines, attributes: annotated.attributes })
    }

    /// The CPU time of `cargo check` after a change of the crate `name`.
    fn check(&self, name: &str) -> io::Result<Duration> {
        let source = self.root.join(name).join("src/lib.rs");
        fs::File::options().append(true).open(&source)?.set_modified(std::time::SystemTime::now())?;
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["check", "--quiet", "--offline", "-p", name]).current_dir(&self.root);
        cargo.env("CARGO_INCREMENTAL", "0").env("CARGO_TARGET_DIR", &self.target);
        usage::cpu_time(&mut cargo)
    }
}

fn package(name: &str) -> String {
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         guard-core.workspace = true\ntch.workspace = true\n"
    )
}

/// The profile and the versions of our workspace, so that its dependencies need no second build.
fn manifest(workspace: &Path) -> String {
    let root = workspace.display();
    format!(
        "[workspace]\nresolver = \"3\"\nmembers = [\"plain\", \"annotated\"]\n\n[workspace.dependencies]\n\
         guard-core = {{ path = \"{root}/guard-core\" }}\n\
         tch = {{ version = \">=0.24, <0.27\", default-features = false }}\n\n\
         [profile.dev]\ndebug = \"line-tables-only\"\nopt-level = 1\n\n\
         [profile.dev.package.torch-sys]\nopt-level = 0\n"
    )
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}
