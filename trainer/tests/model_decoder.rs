//! Parts of the decoder against the official implementation: outputs and gradients.

mod support;

use serde_json::Value;
use support::golden::{self, Report};
use tch::{Device, Kind, Tensor, nn};
use trainer::model::anchors::generate_anchors;
use trainer::model::decoder_layer::{Memory, TransformerDecoderLayer};
use trainer::model::denoising::Denoising;
use trainer::model::ms_deform_attn::MsDeformableAttention;
use trainer::model::{CrossAttnMethod, DecoderConfig};
use trainer::ops::inverse_sigmoid;

/// Largest accepted error, relative to the largest value of a tensor.
const TOLERANCE: f64 = 1e-5;

fn config(points: &[i64], method: CrossAttnMethod) -> DecoderConfig {
    DecoderConfig {
        hidden_dim: 16,
        nhead: 4,
        num_levels: points.len(),
        num_points: points.to_vec(),
        dim_feedforward: 24,
        cross_attn_method: method,
        ..Default::default()
    }
}

fn list<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).expect("a list")
}

fn check_deformable_attention(name: &str, method: CrossAttnMethod) {
    let meta = &golden::json("components/components.json")[format!("msda_{name}")];
    let fixture = golden::tensors("components/msda.safetensors");
    let get = |key: &str| fixture[&format!("{name}.{key}")].shallow_clone();
    let store = nn::VarStore::new(Device::Cpu);
    let points: Vec<i64> = list(&meta["num_points"]);
    let layer = MsDeformableAttention::new(&store.root(), &config(&points, method));
    golden::load(&store, &fixture, &format!("{name}.param."));

    let inputs = [get("query"), get("ref").squeeze_dim(2), get("value")].map(|input| golden::leaf(&input));
    let [query, reference, value] = &inputs;
    let shapes: Vec<[i64; 2]> = list(&meta["spatial_shapes"]);
    let out = layer.forward(query, reference, value, &shapes);
    golden::backward(&out, &get("cotangent"));
    let mut report = Report::new(&format!("deformable attention, {name}"), TOLERANCE);
    report.compare("out", &out, &get("out"));
    for (input, key) in inputs.iter().zip(["query", "ref", "value"]) {
        match fixture.get(&format!("{name}.grad_in.{key}")) {
            Some(want) => {
                report.compare(&format!("grad_in.{key}"), &input.grad(), &want.view(&input.size()[..]))
            }
            None => assert!(!input.grad().defined(), "{key} has a gradient"),
        }
    }
    golden::compare_gradients(&mut report, &store, &fixture, &format!("{name}.grad."));
    report.finish();
}

#[test]
fn deformable_attention() {
    check_deformable_attention("default", CrossAttnMethod::Default);
}

#[test]
fn deformable_attention_on_nearest_cells() {
    check_deformable_attention("discrete", CrossAttnMethod::Discrete);
}

/// The official code clamps both coordinates by the height and never reads past column h of a wide map.
#[test]
fn nearest_cells_reach_the_last_column_of_a_wide_map_and_the_last_row_of_a_tall_one() {
    let store = nn::VarStore::new(Device::Cpu);
    let layer = MsDeformableAttention::new(&store.root(), &config(&[2], CrossAttnMethod::Discrete));
    let query = Tensor::zeros([1, 1, 16], (Kind::Float, Device::Cpu));
    for (shape, centre) in [([2, 6], [0.99_f32, 0.25]), ([6, 2], [0.25, 0.99])] {
        let reference = Tensor::from_slice(&[centre[0], centre[1], 1e-3, 1e-3]).view([1, 1, 4]);
        let last = if shape[1] > shape[0] { 5 } else { 10 };
        let memory = Tensor::zeros([1, 12, 16], (Kind::Float, Device::Cpu));
        let _ = memory.narrow(1, last, 1).fill_(1.);
        let read = layer.forward(&query, &reference, &memory, &[shape]);
        assert!(read.abs().max().double_value(&[]) > 0., "{shape:?}: the last cell is not read");
    }
}

#[test]
fn sampling_offsets_start_as_a_star() {
    let fixture = golden::tensors("components/msda.safetensors");
    let mut report = Report::new("initial sampling offsets", TOLERANCE);
    for (dim, heads, points) in [(256, 8, [4, 4, 4]), (32, 4, [4, 2, 3])] {
        let store = nn::VarStore::new(Device::Cpu);
        let config = DecoderConfig {
            hidden_dim: dim,
            nhead: heads,
            num_points: points.to_vec(),
            ..Default::default()
        };
        let _layer = MsDeformableAttention::new(&store.root(), &config);
        let name = format!("init_offsets_bias_{dim}_{heads}_{}{}{}", points[0], points[1], points[2]);
        report.compare(&name, &store.variables()["sampling_offsets.bias"], &fixture[&name]);
    }
    report.finish();
}

#[test]
fn decoder_layer() {
    let fixture = golden::tensors("components/decoder_layer.safetensors");
    let store = nn::VarStore::new(Device::Cpu);
    let points = [2, 3];
    let layer = TransformerDecoderLayer::new(&store.root(), &config(&points, CrossAttnMethod::Default));
    golden::load(&store, &fixture, "param.");
    let [x, pos, tokens] = ["x", "pos", "mem"].map(|key| golden::leaf(&fixture[key]));
    let memory = Memory { tokens: tokens.shallow_clone(), spatial_shapes: vec![[4, 4], [2, 2]] };
    let blocked = &fixture["mask"];
    let mask =
        Tensor::zeros(blocked.size(), (Kind::Float, Device::Cpu)).masked_fill(blocked, f64::NEG_INFINITY);
    let out = layer.forward(&x, &fixture["ref"].squeeze_dim(2), &memory, Some(&mask), &pos, true);
    golden::backward(&out, &fixture["cotangent"]);
    let mut report = Report::new("decoder layer", TOLERANCE);
    report.compare("out", &out, &fixture["out"]);
    for (key, input) in [("x", &x), ("pos", &pos), ("mem", &tokens)] {
        report.compare(key, &input.grad(), &fixture[&format!("grad_in.{key}")]);
    }
    golden::compare_gradients(&mut report, &store, &fixture, "grad.");
    report.finish();
}

#[test]
fn anchors_of_odd_maps() {
    let fixture = golden::tensors("components/anchors.safetensors");
    let (anchors, valid) = generate_anchors(&[[3, 5], [60, 2]], 1e-2, Device::Cpu);
    let mut report = Report::new("anchors", TOLERANCE);
    report.compare("anchors", &anchors, &fixture["anchors_3x5_60x2"]);
    report.compare("valid", &valid, &fixture["valid_3x5_60x2"]);
    report.finish();
}

#[test]
fn anchors_at_640() {
    let fixture = golden::tensors("components/anchors.safetensors");
    let (anchors, valid) = generate_anchors(&[[80, 80], [40, 40], [20, 20]], 1e-2, Device::Cpu);
    let mut report = Report::new("anchors at 640", TOLERANCE);
    report.compare("valid", &valid.flatten(0, 2), &fixture["valid_640"]);
    report.finish();
    let stats = &golden::json("components/components.json")["anchors_640"]["stats"];
    let sum = anchors.masked_fill(&anchors.isinf(), 0.).sum(Kind::Double).double_value(&[]);
    assert!((sum / stats["sum"].as_f64().expect("a number") - 1.).abs() < 1e-6, "sum {sum}");
}

#[test]
fn inverse_sigmoid_and_its_gradient() {
    let fixture = golden::tensors("components/anchors.safetensors");
    let x = golden::leaf(&fixture["invsig.x"]);
    let out = inverse_sigmoid(&x);
    out.sum(Kind::Float).backward();
    let mut report = Report::new("inverse sigmoid", TOLERANCE);
    report.compare("out", &out, &fixture["invsig.out"]);
    report.compare("grad", &x.grad(), &fixture["invsig.grad"]);
    report.finish();
}

fn check_denoising(case: &str, targets_of: &str) {
    let fixture = golden::tensors("components/denoising.safetensors");
    let meta = &golden::json("components/components.json")["denoising"][case];
    let targets = golden::targets(&golden::json(&format!("tiny/{targets_of}/meta.json"))["targets"]);
    let config = DecoderConfig {
        hidden_dim: 8,
        num_queries: list(&meta["num_queries"]),
        num_denoising: list(&meta["num_denoising"]),
        ..Default::default()
    };
    let store = nn::VarStore::new(Device::Cpu);
    let denoising = Denoising::new(&store.root(), &config, 6).expect("denoising is on");
    let embed = store.variables()["denoising_class_embed.weight"].detach();
    assert_eq!(embed.select(0, 6).abs().max().double_value(&[]), 0., "the padding row starts at zero");
    embed.shallow_clone().copy_(&fixture["embed.weight"]);

    let mut noise = golden::Replay::new(&fixture, &format!("{case}.noise."));
    let got = denoising.forward(&targets, &mut noise);
    let mut report = Report::new(&format!("denoising, {case}"), TOLERANCE);
    report.compare("embed", &got.content, &fixture[&format!("{case}.embed")]);
    report.compare("box_unact", &got.boxes_unact, &fixture[&format!("{case}.box_unact")]);
    report.compare("attn_mask", &got.mask.isinf(), &fixture[&format!("{case}.attn_mask")]);
    report.finish();
    assert_eq!(got.meta.num_groups, list::<i64>(&meta["groups"]));
    assert_eq!(got.meta.split, list::<[i64; 2]>(&meta["split"]));
    for (image, positions) in got.meta.positive_idx.iter().enumerate() {
        let want = Vec::<i64>::try_from(&fixture[&format!("{case}.positive.{image}")]).expect("integers");
        assert_eq!(positions, &want, "image {image}");
    }
}

#[test]
fn denoising_of_two_images() {
    check_denoising("two", "r18_default");
}

#[test]
fn denoising_with_one_image_without_objects() {
    check_denoising("one_empty", "r18_oneempty");
}

#[test]
fn denoising_without_objects() {
    check_denoising("all_empty", "r18_allempty");
}

#[test]
fn denoising_of_more_objects_than_queries() {
    check_denoising("many", "r18_manygt");
}

/// The sampling locations of a single image are a strided view: each image alone answers as in the batch.
#[test]
fn discrete_attention_of_a_single_image() {
    let store = nn::VarStore::new(Device::Cpu);
    let layer = MsDeformableAttention::new(&store.root(), &config(&[2, 3], CrossAttnMethod::Discrete));
    let random = |dims: &[i64]| Tensor::rand(dims, (Kind::Float, Device::Cpu));
    let (query, reference, memory) = (random(&[2, 5, 16]), random(&[2, 5, 4]), random(&[2, 20, 16]));
    let shapes = [[4, 4], [2, 2]];
    let both = layer.forward(&query, &reference, &memory, &shapes);
    let alone =
        layer.forward(&query.narrow(0, 1, 1), &reference.narrow(0, 1, 1), &memory.narrow(0, 1, 1), &shapes);
    assert!(golden::error(&alone, &both.narrow(0, 1, 1)) < 1e-6);
}
