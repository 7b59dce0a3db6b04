//! State keys, shapes and trained parameters of the published presets.

mod support;

use support::golden;
use tch::{Device, Tensor, nn};
use trainer::model::{CrossAttnMethod, RtDetr, RtDetrConfig};

/// Name, shape and kind ("p" trained, "f" frozen parameter or buffer) of a state entry, as one line.
fn row(name: &str, shape: &[i64], trained: bool) -> String {
    format!("{name} {shape:?} {}", if trained { "p" } else { "f" })
}

fn check(preset: &str, config: RtDetrConfig) {
    let config = RtDetrConfig { eval_spatial_size: Some([640, 640]), ..config };
    let store = nn::VarStore::new(Device::Cpu);
    let _model = RtDetr::new(&store.root(), &config).expect("a valid configuration");
    let line = |(name, tensor): (&String, &Tensor)| row(name, &tensor.size(), tensor.requires_grad());
    let mut got: Vec<String> = store.variables().iter().map(line).collect();

    let rows = golden::json(&format!("presets/keys_rtdetrv2_{preset}_coco.json"));
    let rows: Vec<(String, Vec<i64>, String, Option<i64>)> = serde_json::from_value(rows).expect("rows");
    let mut want: Vec<String> = rows
        .iter()
        .map(|(name, shape, kind, group)| row(name, shape, kind == "p" && *group != Some(-1)))
        .collect();
    got.sort();
    want.sort();
    assert_eq!(got, want, "{preset}");
}

#[test]
fn r18vd() {
    check("r18vd_120e", RtDetrConfig::r18vd(80));
}

#[test]
fn r18vd_with_discrete_sampling() {
    let mut config = RtDetrConfig::r18vd(80);
    config.decoder.cross_attn_method = CrossAttnMethod::Discrete;
    check("r18vd_dsp_3x", config);
}

#[test]
fn r34vd() {
    check("r34vd_120e", RtDetrConfig::r34vd(80));
}

#[test]
fn r50vd() {
    check("r50vd_6x", RtDetrConfig::r50vd(80));
}

#[test]
fn r101vd() {
    check("r101vd_6x", RtDetrConfig::r101vd(80));
}
