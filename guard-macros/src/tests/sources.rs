//! The source files of every package that the workspace is built from, its own included.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The packages that `cargo metadata` finds unpacked for this machine, and their `.rs` files.
pub fn all() -> (usize, Vec<PathBuf>) {
    let folders = packages();
    let mut files = Vec::new();
    folders.iter().for_each(|folder| collect(folder, &mut files));
    (folders.len(), files)
}

fn packages() -> Vec<PathBuf> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--offline", "--locked", "--format-version", "1"]);
    cargo.args(["--filter-platform", "host-tuple"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = cargo.output().expect("cargo runs the tests, so that it can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let packages = metadata["packages"].as_array().expect("the metadata list the packages");
    let manifests = packages.iter().filter_map(|package| package["manifest_path"].as_str());
    manifests.filter_map(|manifest| Path::new(manifest).parent().map(Path::to_owned)).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() && path.file_name() != Some(OsStr::new("target")) {
            collect(&path, files);
        } else if path.extension() == Some(OsStr::new("rs")) {
            files.push(path);
        }
    }
}
