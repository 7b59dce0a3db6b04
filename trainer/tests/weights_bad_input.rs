//! Files that hold no weights, or not those of this network: each message names the file, the key, what was expected and
//! what was found.

mod support;

use std::path::{Path, PathBuf};

use support::tiny;
use tch::{Device, Kind, Tensor};
use tempfile::TempDir;
use trainer::train::ema;
use trainer::weights::{StateDict, WeightsFile, infer_network, load_exact, load_matching, write_state};

fn fixture(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "fixtures", "weights", name].iter().collect()
}

fn folder_with(name: &str, bytes: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("a writable folder");
    (folder, path)
}

fn assert_says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}

fn refused(path: &Path) -> String {
    WeightsFile::read(path).expect_err("no weights").to_string()
}

#[test]
fn truncated_files() {
    for (name, format) in
        [("ema.pth", "PyTorch"), ("backbone.pth", "PyTorch"), ("hub/model.safetensors", "safetensors")]
    {
        let whole = std::fs::read(fixture(name)).expect("a fixture");
        for length in [600, whole.len() / 2, whole.len() - 1] {
            let (_folder, path) = folder_with("cut", &whole[..length]);
            assert_says(&refused(&path), &["cut", &format!("not a whole {format} file"), "put back a copy"]);
        }
    }
}

#[test]
fn files_that_are_neither() {
    let (_folder, path) = folder_with("weights.pth", b"<!DOCTYPE html><html>404</html>");
    assert_says(
        &refused(&path),
        &["weights.pth", "neither a safetensors file nor a PyTorch", "`<!DOCTYPE ht`"],
    );
    let (_folder, path) = folder_with("weights.safetensors", b"");
    assert_says(&refused(&path), &["weights.safetensors", "it is empty"]);
    let (folder, path) = folder_with("notes.txt", b"PK");
    assert_says(&refused(&path), &["notes.txt", "`PK`"]);
    assert_says(&refused(folder.path()), &["a folder without model.safetensors"]);
    assert_says(&refused(&folder.path().join("none.pth")), &["none.pth", "No such file"]);
}

/// Nothing in a pickle is called: the fixtures' objects would leave the file `executed`.
#[test]
fn foreign_objects() {
    let message = refused(&fixture("only_foreign.pth"));
    assert_says(&message, &["only_foreign.pth", "no weights in it", "`hook`", "system", "was not loaded"]);
    let (_folder, path) = folder_with("x", b"");
    std::fs::write(&path, std::fs::read(fixture("foreign.pth")).expect("a fixture"))
        .expect("a writable folder");
    let file = WeightsFile::read(&path).expect("it holds tensors too");
    assert_says(&file.notes.join("\n"), &["`hook`", "system", "neither loaded nor called"]);
    assert!(!Path::new("executed").exists() && !fixture("executed").exists());
}

/// A small safetensors file of `tensors`.
fn written(tensors: &[(&str, Tensor)]) -> (TempDir, PathBuf) {
    let (folder, path) = folder_with("other.safetensors", b"");
    let mut state = StateDict::new(&path);
    for (name, tensor) in tensors {
        state.insert((*name).to_owned(), guard_core::Detached::new(tensor));
    }
    write_state(&path, &state).expect("a writable folder");
    (folder, path)
}

fn zeros(size: &[i64]) -> Tensor {
    Tensor::zeros(size, (Kind::Float, Device::Cpu))
}

#[test]
fn another_architecture() {
    let (_folder, path) =
        written(&[("layer1.0.conv1.weight", zeros(&[4, 4, 3, 3])), ("fc.weight", zeros(&[9, 4]))]);
    let file = WeightsFile::read(&path).expect("a whole file");
    let message = file.expect_network().expect_err("not RT-DETR").to_string();
    assert_says(
        &message,
        &["other.safetensors", "not the weights of an RT-DETR v2", "`decoder.…`", "`fc.weight`"],
    );
    let message = infer_network(&file.state).expect_err("not RT-DETR").to_string();
    assert_says(&message, &["no tensor `decoder.enc_output.proj.weight`", "`layer1.0.conv1.weight`"]);
    let (store, _) = ema::build(&tiny::config().model, Device::Cpu).expect("a network");
    let message = load_matching(&file.state, &store).expect_err("nothing fits").to_string();
    assert_says(
        &message,
        &["other.safetensors", "0 tensors fit", "2 not in the network", "`fc.weight` [9, 4] Float"],
    );
}

/// A backbone is known by its own names: other detectors have a `backbone.` too.
#[test]
fn another_detector() {
    let names = ["backbone.body.layer1.0.conv1.weight", "rpn.head.conv.weight"];
    let (_folder, path) = written(&names.map(|name| (name, zeros(&[4, 4, 3, 3]))));
    let file = WeightsFile::read(&path).expect("a whole file");
    let message = file.expect_network().expect_err("not RT-DETR").to_string();
    assert_says(&message, &["no tensor is named `decoder.…`", "`backbone.body.layer1.0.conv1.weight`"]);
}

#[test]
fn element_type_that_nothing_computes_with() {
    let (_folder, path) = folder_with("bytes.safetensors", b"");
    let bytes = Tensor::zeros([2], (Kind::Uint8, Device::Cpu));
    Tensor::write_safetensors(&[("decoder.mask", &bytes)], &path).expect("a writable folder");
    assert_says(
        &refused(&path),
        &["bytes.safetensors", "`decoder.mask` has element type U8, expected float32"],
    );
}

#[test]
fn another_network() {
    let config = tiny::config().model;
    let (store, _) = ema::build(&config, Device::Cpu).expect("a network");
    let state = StateDict::of_store(&store, Path::new("tiny"));
    let mut other = config.clone();
    other.num_classes = 9;
    other.decoder.num_layers += 1;
    let (store, _) = ema::build(&other, Device::Cpu).expect("a network");
    let message = load_exact(&state, &store, "other.toml").expect_err("another network").to_string();
    assert_says(
        &message,
        &[
            "tiny: does not fit the network other.toml",
            "`decoder.enc_score_head.weight` is [5, 16] Float, expected [9, 16] Float",
            "missing in the file",
            "`decoder.decoder.layers.2.self_attn.in_proj_weight`, expected [48, 16] Float",
        ],
    );
}

#[test]
fn another_element_type() {
    let config = tiny::config().model;
    let (store, _) = ema::build(&config, Device::Cpu).expect("a network");
    let mut state = StateDict::of_store(&store, Path::new("tiny"));
    let name = "decoder.enc_score_head.bias";
    state.insert(name.to_owned(), guard_core::Detached::new(&Tensor::zeros([5], (Kind::Int64, Device::Cpu))));
    let message = load_exact(&state, &store, "tiny").expect_err("integers").to_string();
    assert_says(&message, &["`decoder.enc_score_head.bias` is [5] Int64, expected [5] Float"]);
    // Halves are read: releases are often stored in them.
    let half = Tensor::from_slice(&[0.5f32, 1., 2., 4., 8.]).to_kind(Kind::Half);
    state.insert(name.to_owned(), guard_core::Detached::new(&half));
    load_exact(&state, &store, "tiny").expect("halves are floats");
    assert_eq!(store.variables()[name], half.to_kind(Kind::Float));
}

#[test]
fn hugging_face_files_with_gaps() {
    let q = "model.encoder.encoder.0.layers.0.self_attn.q_proj.weight";
    let known = || ("model.encoder_input_proj.0.0.weight", zeros(&[4, 4, 1, 1]));
    let (_folder, path) = written(&[known(), (q, zeros(&[4, 4]))]);
    assert_says(
        &refused(&path),
        &["in_proj_weight", "k_proj.weight`", "of one shape", "found `model.encoder", "[4, 4]"],
    );
    let (_folder, path) = written(&[known(), ("model.pooler.weight", zeros(&[2]))]);
    assert_says(
        &refused(&path),
        &["`model.pooler.weight` has no place in Hugging Face's RTDetrV2ForObjectDetection"],
    );
}

/// A setting that this network cannot follow is refused, not ignored.
#[test]
fn config_json_of_another_network() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::copy(fixture("hub/model.safetensors"), folder.path().join("model.safetensors")).expect("a copy");
    let text = std::fs::read_to_string(fixture("hub/config.json")).expect("a fixture");
    let changed = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        std::fs::write(folder.path().join("config.json"), text.replace(from, to)).expect("a writable folder");
        refused(folder.path())
    };
    let fault = changed("\"model_type\": \"rt_detr_v2\"", "\"model_type\": \"detr\"");
    assert_says(&fault, &["config.json", "model_type is `detr`, expected `rt_detr_v2`"]);
    let fault = changed("\"decoder_offset_scale\": 0.5", "\"decoder_offset_scale\": 1.0");
    assert_says(&fault, &["config.json", "decoder_offset_scale is 1, expected 0.5"]);
    let fault = changed("\"activation_function\": \"silu\"", "\"activation_function\": \"mish\"");
    assert_says(&fault, &["config.json", "mish", "silu"]);
}
