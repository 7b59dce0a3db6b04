//! Layers of backbone and encoder against the official implementation: outputs, gradients, running statistics.

mod support;

use support::golden::{self, Fixture, Report};
use tch::{Device, Kind, Tensor, nn};
use trainer::model::csp_rep::{CspRepLayer, RepVggBlock};
use trainer::model::hg_block::{HgBlock, HgBlockShape};
use trainer::model::hg_stem::HgStem;
use trainer::model::hgnetv2::HgStage;
use trainer::model::layers::BatchNorm2d;
use trainer::model::layers::conv_bn_act::HgStyle;
use trainer::model::position::sincos_position_embedding;
use trainer::model::residual::{BlockShape, ResidualBlock};
use trainer::model::transformer_encoder::TransformerEncoderLayer;
use trainer::model::{Activation, HgStageConfig, HybridEncoderConfig};

/// Largest accepted error, relative to the largest value of a tensor.
const TOLERANCE: f64 = 1e-5;

type Forward = Box<dyn Fn(&Tensor, bool) -> Tensor>;

/// Checks outputs, gradients and running statistics of one block of `blocks.safetensors`.
fn check_block(name: &str, build: impl FnOnce(&nn::Path) -> Forward) {
    let fixture = golden::tensors("components/blocks.safetensors");
    let (mut report, store) = check_outputs(name, &fixture, build);
    compare_running(&mut report, &store, &fixture, name);
    report.finish();
}

/// Runs one block in evaluation and training.
fn check_outputs(
    name: &str,
    fixture: &Fixture,
    build: impl FnOnce(&nn::Path) -> Forward,
) -> (Report, nn::VarStore) {
    let get = |key: &str| fixture[&format!("{name}.{key}")].shallow_clone();
    let store = nn::VarStore::new(Device::Cpu);
    let forward = build(&store.root());
    golden::load(&store, fixture, &format!("{name}.param."));
    let mut report = Report::new(name, TOLERANCE);
    report.compare("out_eval", &forward(&get("x"), false), &get("out_eval"));

    let x = golden::leaf(&get("x"));
    let out = forward(&x, true);
    report.compare("out_train", &out, &get("out_train"));
    golden::backward(&out, &get("cotangent"));
    report.compare("grad_in.x", &x.grad(), &get("grad_in.x"));
    golden::compare_gradients(&mut report, &store, fixture, &format!("{name}.grad."));
    (report, store)
}

fn compare_running(report: &mut Report, store: &nn::VarStore, fixture: &Fixture, name: &str) {
    for (key, tensor) in store.variables() {
        if let Some(want) = fixture.get(&format!("{name}.after.{key}")) {
            report.compare(&format!("{key} after"), &tensor, want);
        }
        if key.ends_with("num_batches_tracked") {
            assert_eq!((tensor.kind(), tensor.int64_value(&[])), (Kind::Int64, 1), "{key}");
        }
    }
}

fn block(in_channels: i64, width: i64, stride: i64, project: bool) -> BlockShape {
    BlockShape { in_channels, width, stride, project, frozen_norm: false }
}

fn basic(shape: BlockShape) -> impl FnOnce(&nn::Path) -> Forward {
    move |path| {
        let block = ResidualBlock::basic(path, shape);
        Box::new(move |x, train| block.forward(x, train))
    }
}

fn bottleneck(shape: BlockShape) -> impl FnOnce(&nn::Path) -> Forward {
    move |path| {
        let block = ResidualBlock::bottleneck(path, shape);
        Box::new(move |x, train| block.forward(x, train))
    }
}

#[test]
fn basic_block_with_odd_sides() {
    check_block("basic_d_s2_odd", basic(block(4, 6, 2, true)));
}

#[test]
fn basic_block_with_identity() {
    check_block("basic_identity", basic(block(4, 4, 1, false)));
}

#[test]
fn basic_block_with_projection() {
    check_block("basic_s1_proj", basic(block(4, 6, 1, true)));
}

#[test]
fn bottleneck_with_stride() {
    check_block("bottleneck_d_s2", bottleneck(block(6, 3, 2, true)));
}

#[test]
fn bottleneck_with_identity() {
    check_block("bottleneck_identity", bottleneck(block(12, 3, 1, false)));
}

fn csp_rep(channels: [i64; 2], num_blocks: usize, expansion: f64) -> impl FnOnce(&nn::Path) -> Forward {
    move |path| {
        let layer =
            CspRepLayer::new(path, channels, num_blocks, expansion, Activation::Silu, RepVggBlock::new);
        Box::new(move |x, train| layer.forward(x, train))
    }
}

/// Channels of a CSP layer, read off its first convolution's weight and its answer.
fn csp_channels(name: &str) -> [i64; 2] {
    let fixture = golden::tensors("components/blocks.safetensors");
    [fixture[&format!("{name}.x")].size()[1], fixture[&format!("{name}.out_eval")].size()[1]]
}

#[test]
fn csp_rep_of_full_width() {
    check_block("csprep_full", csp_rep(csp_channels("csprep_full"), 1, 1.));
}

#[test]
fn csp_rep_of_half_width() {
    check_block("csprep_half", csp_rep(csp_channels("csprep_half"), 2, 0.5));
}

/// The fixture holds no running statistics after training for this block (they were reset before the fold).
#[test]
fn rep_vgg() {
    let fixture = golden::tensors("components/blocks.safetensors");
    let (report, _) = check_outputs("repvgg", &fixture, |path| {
        let block = RepVggBlock::new(path, 6, Activation::Silu);
        Box::new(move |x, train| block.forward(x, train))
    });
    report.finish();
}

fn check_encoder_layer(name: &str, normalize_before: bool) {
    let fixture = golden::tensors("components/aifi.safetensors");
    let get = |key: &str| fixture[&format!("{name}.{key}")].shallow_clone();
    let (hidden_dim, nhead, dim_feedforward) = (16, 4, 24);
    let config =
        HybridEncoderConfig { hidden_dim, nhead, dim_feedforward, normalize_before, ..Default::default() };
    let store = nn::VarStore::new(Device::Cpu);
    let layer = TransformerEncoderLayer::new(&store.root(), &config);
    golden::load(&store, &fixture, &format!("{name}.param."));
    let x = golden::leaf(&get("x"));
    let out = layer.forward(&x, &get("pos"), true);
    golden::backward(&out, &get("cotangent"));
    let mut report = Report::new(&format!("encoder layer, {name}"), TOLERANCE);
    report.compare("out", &out, &get("out"));
    report.compare("grad_in.x", &x.grad(), &get("grad_in.x"));
    golden::compare_gradients(&mut report, &store, &fixture, &format!("{name}.grad."));
    report.finish();
}

#[test]
fn encoder_layer() {
    check_encoder_layer("post_norm", false);
}

#[test]
fn encoder_layer_with_norms_before() {
    check_encoder_layer("pre_norm", true);
}

#[test]
fn hg_stem() {
    check_block("hg_stem", |path| {
        let stem = HgStem::new(path, [4, 6], HgStyle::default());
        Box::new(move |x, train| stem.forward(x, train))
    });
}

#[test]
fn hg_block_of_light_layers() {
    let (in_channels, mid_channels, out_channels) = (6, 4, 6);
    let shape = HgBlockShape {
        in_channels,
        mid_channels,
        out_channels,
        layers: 2,
        kernel: 5,
        light: true,
        identity: true,
    };
    check_block("hg_block_light", move |path| {
        let block = HgBlock::new(path, shape, HgStyle::default());
        Box::new(move |x, train| block.forward(x, train))
    });
}

#[test]
fn hg_stage_with_affine_layers() {
    let config = HgStageConfig {
        mid_channels: 3,
        out_channels: 6,
        blocks: 2,
        downsample: true,
        light: false,
        kernel: 3,
        layers: 2,
    };
    check_block("hg_stage", move |path| {
        let stage = HgStage::new(path, 4, &config, HgStyle { use_lab: true, frozen_norm: false });
        Box::new(move |x, train| stage.forward(x, train))
    });
}

#[test]
fn frozen_norm() {
    let fixture = golden::tensors("components/blocks.safetensors");
    let store = nn::VarStore::new(Device::Cpu);
    let norm = BatchNorm2d::frozen(&store.root(), 5);
    golden::load(&store, &fixture, "frozenbn.param.");
    let x = golden::leaf(&fixture["frozenbn.x"]);
    let out = norm.forward(&x, true);
    golden::backward(&out, &fixture["frozenbn.cotangent"]);
    let mut report = Report::new("frozen norm", TOLERANCE);
    report.compare("out", &out, &fixture["frozenbn.out"]);
    report.compare("grad_in.x", &x.grad(), &fixture["frozenbn.grad_in.x"]);
    report.finish();
}

#[test]
fn position_table_of_a_square_map_is_the_official_one() {
    let fixture = golden::tensors("components/aifi.safetensors");
    let table = sincos_position_embedding([4, 4], 32, 10_000., Device::Cpu);
    let mut report = Report::new("position table", TOLERANCE);
    report.compare("4x4", &table, &fixture["pos_w4_h4_d32"]);
    report.finish();
}

/// The official table lists the cells of a w x h map column by column; read that way, it holds the same numbers.
#[test]
fn position_table_of_a_wide_map_is_row_major() {
    let fixture = golden::tensors("components/aifi.safetensors");
    let (width, height, half) = (5, 3, 16);
    let official = fixture["pos_w5_h3_d32"].view([width, height, 2, half]);
    let row_major = official.transpose(0, 1).flip([2]).contiguous().view([1, width * height, 2 * half]);
    let table = sincos_position_embedding([height, width], 2 * half, 10_000., Device::Cpu);
    let mut report = Report::new("position table, wide map", TOLERANCE);
    report.compare("3x5", &table, &row_major);
    report.finish();
}
