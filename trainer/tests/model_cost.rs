//! Parameters and multiply-accumulates against PyTorch's own counter, to the last digit.

mod support;

use support::golden;
use trainer::config::{DataSource, PRESETS};
use trainer::model::cost::costs;

#[test]
fn every_published_network() {
    let presets = golden::json("presets/presets.json")["presets"].clone();
    for preset in &PRESETS {
        let meta = &presets[preset.name];
        let rows: Vec<(String, Vec<i64>, String, Option<i64>)> =
            serde_json::from_value(golden::json(meta["keys_file"].as_str().expect("a file"))).expect("rows");
        let network = preset.config(DataSource::SHAPES).model;
        let all = || rows.iter().map(|(name, dims, ..)| (name.as_str(), dims.as_slice()));
        let sum: u64 = costs(&network, all(), [640; 2]).iter().map(|module| module.parameters).sum();
        assert_eq!(Some(sum), meta["params_total"].as_u64(), "parameters of {}", preset.short);

        // The counter ran on folded blocks: one 3x3 convolution each.
        let folded = all().filter(|(name, _)| !(name.contains(".bottlenecks.") && name.contains(".conv2.")));
        let macs: u64 = costs(&network, folded, [640; 2]).iter().map(|module| module.macs).sum();
        let counted = meta["flops_counter_G"].as_f64().expect("a number");
        assert_eq!((2. * macs as f64 / 1e9 * 1e7).round(), (counted * 1e7).round(), "{}", preset.short);
    }
}
