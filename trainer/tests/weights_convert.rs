//! Weights of other programs: names, packing, values to the bit, and the same answers.

mod support;

use std::path::{Path, PathBuf};

use support::{formula, golden};
use tch::{Device, Tensor, nn};
use trainer::config::{DataSource, PRESETS, Preset};
use trainer::model::{Predictions, RtDetr, RtDetrConfig};
use trainer::weights::{
    Contents, Format, StateDict, WeightsFile, deploy, from_hugging_face, infer_network, load_exact,
    load_matching, nearest_preset, to_hugging_face, write_state,
};

fn fixture(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "fixtures", "weights", name].iter().collect()
}

fn read(path: &Path) -> WeightsFile {
    WeightsFile::read(path).unwrap_or_else(|e| panic!("{e}"))
}

/// The Hugging Face fixture, and the network that its `config.json` and its shapes describe.
fn hub() -> (WeightsFile, RtDetrConfig) {
    let file = read(&fixture("hub"));
    let mut network = infer_network(&file.state).expect("an RT-DETR v2");
    file.config_json.as_ref().expect("config.json lies beside it").complete(&mut network);
    (file, network)
}

fn build(network: &RtDetrConfig) -> (nn::VarStore, RtDetr) {
    tch::set_num_threads(1);
    let store = nn::VarStore::new(Device::Cpu);
    let model = RtDetr::new(&store.root(), network).expect("a valid configuration");
    (store, model)
}

fn answers(network: &RtDetrConfig, state: &StateDict, images: &Tensor) -> Predictions {
    let (store, model) = build(network);
    load_exact(state, &store, "inferred").unwrap_or_else(|e| panic!("{e}"));
    tch::no_grad(|| model.forward_eval(images))
}

/// A network filled by formula, as a state.
fn filled(network: &RtDetrConfig) -> StateDict {
    let (store, _) = build(network);
    formula::fill(&store, "convert/");
    StateDict::of_store(&store, Path::new("filled"))
}

fn assert_identical(got: &StateDict, want: &StateDict) {
    assert_eq!(got.names().collect::<Vec<_>>(), want.names().collect::<Vec<_>>());
    for (name, tensor) in want.iter() {
        let other = got.get(name).expect("the same names");
        assert_eq!((other.size(), other.kind()), (tensor.size(), tensor.kind()), "{name}");
        assert!(other == tensor, "{name} differs");
    }
}

#[test]
fn hugging_face_answers() {
    let (file, network) = hub();
    assert_eq!(file.format, Format::HuggingFace);
    let config = file.config_json.as_ref().expect("config.json");
    assert_eq!(config.classes(3).expect("three names"), ["red", "white", "plate"]);
    let images = formula::values("hub/image", &[2, 3, 128, 128], 0.5, 0.5);
    let mut report = golden::Report::new("Hugging Face", 1e-5);
    report.predictions(
        "",
        &answers(&network, &file.state, &images),
        &golden::tensors("weights/hub_outputs.safetensors"),
    );
    report.finish();
}

/// Official -> Hugging Face -> official changes no bit, for every published network with a ResNet.
#[test]
fn hugging_face_and_back() {
    for short in ["rtdetrv2_r18vd", "rtdetrv2_r50vd"] {
        let mut network = Preset::find(short).expect("a preset").model();
        network.eval_spatial_size = None;
        narrow(&mut network);
        let state = filled(&network);
        let hub = to_hugging_face(&state, network.decoder.num_layers - 1).expect("a ResNet");
        let count = |state: &StateDict| state.len();
        assert!(count(&hub) > count(&state) / 2);
        let back = from_hugging_face(hub).expect("its own names");
        let frozen = |name: &str| name.starts_with("backbone.") && name.ends_with("num_batches_tracked");
        let state = state.rename(|name| (!frozen(name)).then(|| name.to_owned()));
        assert_identical(&back, &state);
    }
}

/// The same names with channels that take no time.
fn narrow(network: &mut RtDetrConfig) {
    use trainer::model::BackboneConfig::PResNet;
    if let PResNet(backbone) = &mut network.backbone {
        (backbone.stem, backbone.widths) = (4, [4, 8, 12, 16]);
    }
    (network.encoder.hidden_dim, network.encoder.nhead, network.encoder.dim_feedforward) = (16, 2, 24);
    (network.decoder.hidden_dim, network.decoder.nhead, network.decoder.dim_feedforward) = (16, 2, 24);
}

/// The names that transformers 5 has in memory are those of the hub under other words.
#[test]
fn names_of_transformers_5() {
    let (file, network) = hub();
    let hub = to_hugging_face(&file.state, network.decoder.eval_layer()).expect("a ResNet");
    let renamed = hub.rename(|name| {
        let name = name.replace("model.encoder.encoder.", "model.encoder.aifi.");
        let name = name.replace(".out_proj.", ".o_proj.").replace(".fc", ".mlp.fc");
        Some(name)
    });
    assert!(renamed.has_prefix("model.encoder.aifi.0.layers.0.mlp.fc1"));
    assert_identical(&from_hugging_face(renamed).expect("known names"), &file.state);
}

#[test]
fn official_pth() {
    let pth = read(&fixture("ema.pth"));
    assert_eq!((&pth.format, pth.contents), (&Format::Pytorch("ema.module"), Contents::Network));
    assert_eq!(pth.notes, Vec::<String>::new());
    // What the checkpoint's average holds, and not the zeros beside it.
    let (hub, network) = hub();
    let (store, _) = build(&network);
    load_exact(&hub.state, &store, "inferred").expect("the whole network");
    assert_identical(&pth.state, &StateDict::of_store(&store, Path::new("hub")));
}

#[test]
fn written_and_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("weights.anything");
    let pth = read(&fixture("ema.pth"));
    write_state(&path, &pth.state).expect("a writable folder");
    let again = read(&path);
    assert_eq!(again.format, Format::Official);
    assert_identical(&again.state, &pth.state);
}

#[test]
fn backbone_alone_in_the_old_container() {
    let file = read(&fixture("backbone.pth"));
    assert_eq!((&file.format, file.contents), (&Format::Pytorch(""), Contents::Backbone));
    assert!(file.state.names().all(|name| name.starts_with("backbone.")));
    let (_, network) = hub();
    let (store, _) = build(&network);
    let report = load_matching(&file.state, &store).expect("the backbone fits");
    assert_eq!(report.loaded, file.state.len());
    assert!(report.mismatched.is_empty() && report.unexpected.is_empty());
    assert!(report.missing.iter().all(|misfit| !misfit.name.starts_with("backbone.")));
    let refused = file.expect_network().expect_err("no decoder").to_string();
    assert!(refused.contains("backbone.pth") && refused.contains("a backbone alone"), "{refused}");
}

/// The first version of the encoder numbered the parts of its projections.
#[test]
fn names_of_the_first_version() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("v1.safetensors");
    let current = read(&fixture("ema.pth")).state;
    let old = read(&fixture("ema.pth")).state.rename(|name| {
        let numbered = name.replace(".conv.weight", ".0.weight").replace(".norm.", ".1.");
        Some(if name.starts_with("encoder.input_proj.") { numbered } else { name.to_owned() })
    });
    assert!(old.contains("encoder.input_proj.0.1.running_mean"));
    write_state(&path, &old).expect("a writable folder");
    assert_identical(&read(&path).state, &current);
}

/// Names and shapes are enough to know every published network.
#[test]
fn presets_by_their_shapes() {
    for preset in PRESETS.iter().filter(|preset| !preset.short.contains("_dsp")) {
        let rows: Vec<(String, Vec<i64>, String, Option<i64>)> = {
            let name = golden::json("presets/presets.json")["presets"][preset.name]["keys_file"].clone();
            serde_json::from_value(golden::json(name.as_str().expect("a file"))).expect("rows")
        };
        let mut state = StateDict::new(Path::new(preset.short));
        let points = &preset.model().decoder.num_points;
        for (name, shape, ..) in rows {
            // One value behind every shape: the tensors take no memory.
            let value = if name.ends_with("num_points_scale") { 1. / points[0] as f64 } else { 0. };
            let tensor = Tensor::from(value as f32).expand(&shape, false);
            state.insert(name, guard_core::Detached::new(&tensor));
        }
        let network = infer_network(&state).unwrap_or_else(|e| panic!("{e}"));
        let found = nearest_preset(&network).unwrap_or_else(|| panic!("{}: {network:?}", preset.short));
        // The recipe for Pascal VOC has the network of the S model.
        let same = found == preset || (preset.short, found.short) == ("rtdetrv2_r18vd_voc", "rtdetrv2_r18vd");
        assert!(same, "{} taken for {}", preset.short, found.short);
        let wanted = preset.config(DataSource::SHAPES).model;
        assert_eq!((network.num_classes, network.eval_spatial_size), (preset.num_classes, Some([640; 2])));
        assert_eq!(network.backbone, wanted.backbone);
    }
}

/// Folding changes rounding and nothing else.
#[test]
fn folded_blocks_answer_the_same() {
    let (file, network) = hub();
    let images = formula::values("hub/image", &[2, 3, 128, 128], 0.5, 0.5);
    let folded = deploy::fold(&file.state).expect("whole blocks");
    assert!(infer_network(&folded).expect("the same network").encoder.deploy);
    let mut deployed = network.clone();
    deployed.encoder.deploy = true;
    let (want, got) = (answers(&network, &file.state, &images), answers(&deployed, &folded, &images));
    let mut report = golden::Report::new("folded", 1e-5);
    report.compare("logits", &got.pred_logits, &want.pred_logits);
    report.compare("boxes", &got.pred_boxes, &want.pred_boxes);
    report.finish();
    let blocks = 2 * 2 * 3;
    assert_eq!(file.state.len() - folded.len(), blocks * (2 * 6 - 2));
}
