//! `trainer convert`, `trainer inspect` and `trainer train --weights`.

mod support;

use std::path::PathBuf;

use guard_core::Detached;
use support::cli::Place;
use tch::{Device, Kind, Tensor};
use trainer::train::Checkpoint;
use trainer::weights::{Format, StateDict, WeightsFile, write_state};

fn fixture(name: &str) -> String {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "fixtures", "weights", name].iter().collect();
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn official_to_trainer_to_hugging_face_and_back() {
    let place = Place::new();
    let run = |args: &str| place.run(args).succeeded();
    run(&format!("convert {} ours.safetensors --classes red,white,plate", fixture("ema.pth")));
    let ours = Checkpoint::load(&place.path("ours.safetensors")).expect("a checkpoint");
    assert_eq!(ours.meta.classes, ["red", "white", "plate"]);
    run("convert ours.safetensors hub --to huggingface");
    run("convert hub official.safetensors --to official");
    let official = WeightsFile::read(&place.path("official.safetensors")).expect("weights");
    let source = WeightsFile::read(fixture("ema.pth").as_ref()).expect("weights");
    assert_eq!(official.format, Format::Official);
    assert_eq!(official.state.len(), source.state.len());
    for (name, tensor) in source.state.iter() {
        assert_eq!(official.state.get(name).as_ref(), Some(&tensor), "{name}");
    }
    let hub = WeightsFile::read(&place.path("hub")).expect("weights");
    let config = hub.config_json.expect("config.json");
    assert_eq!(config.classes(3).expect("names"), ["red", "white", "plate"]);
}

#[test]
fn folded_checkpoint() {
    let place = Place::new();
    let args = format!("convert {} fast.safetensors --deploy", fixture("hub"));
    place.run(&args).succeeded();
    let checkpoint = Checkpoint::load(&place.path("fast.safetensors")).expect("a checkpoint");
    assert!(checkpoint.meta.config.model.encoder.deploy);
    assert!(checkpoint.get("encoder.fpn_blocks.0.bottlenecks.0.conv.bias").is_some());
    assert!(checkpoint.get("encoder.fpn_blocks.0.bottlenecks.0.conv1.conv.weight").is_none());
    let again = place.run("convert fast.safetensors hub --to huggingface");
    again.failed_saying(&["no `deploy` of true", "not folded"]);
}

#[test]
fn refusals_of_convert() {
    let place = Place::new();
    place.write("taken.safetensors", "");
    let convert = |args: &str| place.run(&format!("convert {} {args}", fixture("ema.pth")));
    convert("out.pth").failed_saying(&["out.pth", "only safetensors", ".safetensors"]);
    convert("taken.safetensors").failed_saying(&["taken.safetensors", "--overwrite"]);
    convert("o.safetensors --classes a,b").failed_saying(&["--classes names 2", "have 3"]);
    convert("o.safetensors --preset rtdetrv2_r81vd").failed_saying(&["`rtdetrv2_r81vd`", "`rtdetrv2_r18vd`"]);
    let wrong = [
        "ema.pth: does not fit the network rtdetrv2_r18vd",
        "`backbone.conv1.conv1_1.conv.weight` is [2, 3, 3, 3]",
    ];
    convert("o.safetensors --preset rtdetrv2_r18vd").failed_saying(&wrong);
    assert!(!place.path("o.safetensors").exists());
    let backbone = fixture("backbone.pth");
    place.run(&format!("convert {backbone} hub --to huggingface")).failed_saying(&["a backbone alone"]);
    place.run(&format!("convert {backbone} b.safetensors")).succeeded();
    place.run("convert tiny.toml t.safetensors").failed_saying(&["tiny.toml: neither a safetensors file"]);
}

#[test]
fn inspect() {
    let place = Place::new();
    let run = |args: &str| place.run(args).succeeded().stdout;
    let preset = run("inspect --preset rtdetrv2_r18vd");
    assert!(preset.contains("20,184,464") && preset.contains("300 queries"), "{preset}");
    let file = run(&format!("inspect {} --tensors --side 128", fixture("ema.pth")));
    assert!(file.contains("its `ema.module`") && file.contains("all, at 128x128"), "{file}");
    assert!(file.contains("decoder.dec_score_head.1.bias [3] Float"), "{file}");
    let backbone = run(&format!("inspect {}", fixture("backbone.pth")));
    assert!(backbone.contains("backbone.conv1.conv1_1.conv.weight [2, 3, 3, 3] Float"), "{backbone}");
    let side = place.run(&format!("inspect {} --side 100", fixture("ema.pth")));
    side.failed_saying(&["--side", "100", "multiple of 32"]);
}

#[test]
fn training_starts_from_weights() {
    let place = Place::new();
    let train = "train --config tiny.toml --epochs 1 --threads 1 --device cpu";
    place.run(&format!("{train} --run first")).succeeded();
    let second =
        place.run(&format!("{train} --weights first/best.safetensors --run second --lr 1e-9")).succeeded();
    second.says(&["start first/best.safetensors:", "tensors fit"]);
    assert!(!second.stderr.contains("missing in the file"), "{}", second.stderr);
    let read = |part: &str| WeightsFile::read(&place.path(part)).expect("weights");
    let (first, last) = (read("first"), read("first/last.safetensors"));
    assert_eq!(first.state.names().collect::<Vec<_>>(), last.state.names().collect::<Vec<_>>());
    // With hardly any learning rate the weights stay where they started.
    let head = "decoder.dec_score_head.0.weight";
    let apart = first.state.get(head).expect("a head") - read("second").state.get(head).expect("a head");
    assert!(apart.abs().max().double_value(&[]) < 1e-6, "{apart}");

    // Heads of other classes start afresh, and that is said.
    let mut state = first.state;
    let zeros = |size: &[i64]| Detached::new(&Tensor::zeros(size, (Kind::Float, Device::Cpu)));
    state.insert("decoder.dec_score_head.0.bias".to_owned(), zeros(&[3]));
    write_state(&place.path("other.safetensors"), &state).expect("a writable folder");
    let third = place.run(&format!("{train} --weights other.safetensors --run third")).succeeded();
    third.says(&[
        "1 of another shape or type: `decoder.dec_score_head.0.bias` is [3] Float, expected [5] Float",
    ]);

    let mut foreign = StateDict::new("foreign".as_ref());
    foreign.insert("fc.weight".to_owned(), zeros(&[2, 2]));
    write_state(&place.path("foreign.safetensors"), &foreign).expect("a writable folder");
    let refused = place.run(&format!("{train} --weights foreign.safetensors --run fourth"));
    refused.failed_saying(&[
        "foreign.safetensors",
        "0 tensors fit",
        "1 not in the network: `fc.weight` [2, 2] Float",
    ]);
    assert!(!place.path("fourth").exists(), "a run directory for nothing");
    place.run(&format!("{train} --weights none.pth")).failed_saying(&["none.pth", "No such file"]);
}
