//! Checkpoints that are broken, foreign or of another model, and a save that fails.

mod support;

use std::path::{Path, PathBuf};

use support::tiny;
use tch::{Device, Kind, Tensor};
use tempfile::TempDir;
use trainer::config::TrainConfig;
use trainer::train::Checkpoint;

/// A checkpoint of a fresh tiny session, and the folder that holds it.
fn saved(config: &TrainConfig) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("last.safetensors");
    tiny::session(config, 4).checkpoint().save(&path).expect("a writable folder");
    (folder, path)
}

fn fault(path: &Path) -> String {
    Checkpoint::load(path).expect_err("the file is broken").to_string()
}

fn assert_says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}

#[test]
fn truncated_file() {
    let (_folder, path) = saved(&tiny::config());
    let whole = std::fs::read(&path).expect("the file is there");
    for length in [0, 5, 100, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).expect("a writable folder");
        assert_says(&fault(&path), &[path.to_str().unwrap(), "not a whole safetensors file", "new run"]);
    }
}

#[test]
fn foreign_safetensors_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("foreign.safetensors");
    let tensor = Tensor::zeros([2], (Kind::Float, Device::Cpu));
    Tensor::write_safetensors(&[("weight", &tensor)], &path).expect("a writable folder");
    assert_says(&fault(&path), &["foreign.safetensors", "not written by this trainer", "new run"]);
    assert_says(&fault(&folder.path().join("none")), &["none", "No such file"]);
}

#[test]
fn other_model() {
    let (_folder, path) = saved(&tiny::config());
    let checkpoint = Checkpoint::load(&path).expect("a whole checkpoint");
    let resume = |config: &TrainConfig| {
        tiny::session(config, 4).resume(&checkpoint).expect_err("another model").to_string()
    };

    let mut wider = tiny::config();
    wider.model.decoder.dim_feedforward = 48;
    let key = "`model.decoder.decoder.layers.0.linear1.bias`";
    assert_says(&resume(&wider), &["last.safetensors", key, "has shape [32]", "needs [48]", "new run"]);

    let mut deeper = tiny::config();
    deeper.model.decoder.num_layers = 3;
    let key = "`model.decoder.dec_bbox_head.2.layers.0.bias`";
    assert_says(&resume(&deeper), &["last.safetensors", "no tensor", key, "new run"]);
}

#[test]
fn other_classes() {
    let (_folder, path) = saved(&tiny::config());
    let mut checkpoint = Checkpoint::load(&path).expect("a whole checkpoint");
    checkpoint.meta.classes[0] = "dog".to_owned();
    let fault = tiny::session(&tiny::config(), 4).resume(&checkpoint).expect_err("other classes").to_string();
    assert_says(&fault, &["last.safetensors", "the classes dog, ", "the data has circle, ", "same data"]);
}

/// A save that fails leaves the old file whole.
#[test]
fn failed_save() {
    let (folder, path) = saved(&tiny::config());
    let before = std::fs::read(&path).expect("the file is there");
    let beside = folder.path().join("a file").join("last.safetensors");
    std::fs::write(folder.path().join("a file"), "").expect("a writable folder");
    let fault =
        tiny::session(&tiny::config(), 4).checkpoint().save(&beside).expect_err("no folder").to_string();
    assert_says(&fault, &["last.safetensors", "writable"]);
    assert!(std::fs::read(&path).expect("the file is there") == before);
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 2, "a partial file was left");
}
