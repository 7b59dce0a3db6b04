//! Which configurations and images the network takes, and what a fresh network starts as.

mod support;

use support::golden;
use tch::{Device, Kind, Tensor, nn};
use trainer::model::{ConfigError, HgNetV2Config, PResNetConfig, RtDetr, RtDetrConfig, TorchNoise};
use trainer::ops::Targets;

fn broken(change: impl FnOnce(&mut RtDetrConfig)) -> ConfigError {
    let mut config = RtDetrConfig::r18vd(80);
    change(&mut config);
    let store = nn::VarStore::new(Device::Cpu);
    RtDetr::new(&store.root(), &config).expect_err("the configuration is broken")
}

/// A small network with four classes.
fn tiny() -> RtDetrConfig {
    let config = golden::tiny_config(&golden::json("tiny/r18_default/meta.json"));
    RtDetrConfig { num_classes: 4, eval_spatial_size: None, ..config }
}

#[test]
fn the_preset_is_valid() {
    assert_eq!(RtDetrConfig::r18vd(80).validate(), Ok(()));
    assert_eq!(RtDetrConfig::r18vd(80).check_image_size(640, 640), Ok(()));
}

#[test]
fn an_absent_field_has_the_preset_s_value() {
    let config: RtDetrConfig =
        toml::from_str("num_classes = 20\n[decoder]\nnum_queries = 100").expect("valid TOML");
    let mut want = RtDetrConfig::r18vd(20);
    want.decoder.num_queries = 100;
    assert_eq!(config, want);
}

#[test]
fn an_unknown_field_is_refused() {
    let error = toml::from_str::<RtDetrConfig>("[decoder]\nnum_querys = 100").expect_err("a typo");
    assert!(error.to_string().contains("num_querys"), "{error}");
}

#[test]
fn faults_name_field_and_way_out() {
    let faults = [
        (
            broken(|c| c.backbone = PResNetConfig { depth: 42, ..Default::default() }.into()),
            "`backbone.presnet.depth` is 42, expected 18, 34, 50 or 101",
        ),
        (
            broken(|c| c.backbone = HgNetV2Config { stem: Some([3, 8]), ..Default::default() }.into()),
            "`backbone.hgnetv2.stem` is 3, expected a multiple of 2",
        ),
        (broken(|c| c.encoder.dropout = 1.5), "`encoder.dropout` is 1.5, expected 0 to 1"),
        (broken(|c| c.decoder.dropout = -0.1), "`decoder.dropout` is -0.1, expected 0 to 1"),
        (broken(|c| c.num_classes = 0), "`num_classes` is 0, expected at least 1"),
        (broken(|c| c.encoder.nhead = 7), "`encoder.hidden_dim` is 256, expected a multiple of 7"),
        (broken(|c| c.decoder.hidden_dim = 100), "`decoder.hidden_dim` is 100, expected a multiple of 8"),
        (broken(|c| c.decoder.num_points = vec![4; 2]), "`decoder.num_points` lists 2 levels"),
        (broken(|c| c.decoder.eval_idx = 3), "`decoder.eval_idx` is 3, expected an index below 3"),
        (
            broken(|c| c.decoder.label_noise_ratio = 1.5),
            "`decoder.label_noise_ratio` is 1.5, expected 0 to 1",
        ),
        (broken(|c| c.encoder.use_encoder_idx = vec![3]), "`encoder.use_encoder_idx` is 3"),
        (
            broken(|c| c.eval_spatial_size = Some([640, 650])),
            "`width of the images` is 650, expected a multiple of 32",
        ),
        (broken(|c| c.eval_spatial_size = Some([64, 64])), "an image of 64x64 has only 84 cells"),
    ];
    for (error, text) in faults {
        assert!(error.to_string().contains(text), "{error}");
    }
}

#[test]
fn fresh_values_follow_the_official_ones() {
    let store = nn::VarStore::new(Device::Cpu);
    let config = tiny();
    let _model = RtDetr::new(&store.root(), &config).expect("a valid configuration");
    let variables = store.variables();
    let constant = |name: &str, want: f64| {
        let worst = (&variables[name] - want).abs().max().double_value(&[]);
        assert!(worst < 1e-5, "{name} is off {want} by {worst}");
    };
    constant("decoder.enc_score_head.bias", -4.59512);
    constant("decoder.dec_score_head.2.bias", -4.59512);
    constant("decoder.enc_bbox_head.layers.2.weight", 0.);
    constant("decoder.dec_bbox_head.0.layers.2.bias", 0.);
    constant("decoder.decoder.layers.0.cross_attn.attention_weights.weight", 0.);
    constant("decoder.decoder.layers.1.self_attn.in_proj_bias", 0.);
    constant("backbone.conv1.conv1_1.norm.weight", 1.);
    constant("encoder.pan_blocks.0.conv1.norm.running_var", 1.);
}

#[test]
fn fresh_weights_fill_their_interval() {
    let store = nn::VarStore::new(Device::Cpu);
    let _model = RtDetr::new(&store.root(), &tiny()).expect("a valid configuration");
    let variables = store.variables();
    let reaches = |name: &str, bound: f64| {
        let largest = variables[name].abs().max().double_value(&[]);
        assert!((0.8 * bound..=bound).contains(&largest), "{name} reaches {largest}, expected {bound}");
    };
    reaches("backbone.res_layers.3.blocks.1.branch2b.conv.weight", (1_f64 / (32. * 9.)).sqrt());
    reaches("encoder.encoder.0.layers.0.linear1.weight", (1_f64 / 32.).sqrt());
    reaches("encoder.encoder.0.layers.0.self_attn.in_proj_weight", (6_f64 / (32. + 96.)).sqrt());
    reaches("decoder.decoder.layers.0.linear1.weight", (6_f64 / (32. + 64.)).sqrt());
    reaches("decoder.input_proj.0.conv.weight", (6_f64 / (32. + 32.)).sqrt());
}

#[test]
fn decoder_layers_start_equal_and_heads_do_not() {
    let store = nn::VarStore::new(Device::Cpu);
    let _model = RtDetr::new(&store.root(), &tiny()).expect("a valid configuration");
    let variables = store.variables();
    for (name, tensor) in &variables {
        if let Some(rest) = name.strip_prefix("decoder.decoder.layers.2.") {
            assert_eq!(tensor, &variables[&format!("decoder.decoder.layers.0.{rest}")], "{name}");
        }
    }
    assert_ne!(variables["decoder.dec_score_head.0.weight"], variables["decoder.dec_score_head.1.weight"]);
}

#[test]
fn a_wide_image_trains_and_every_trained_parameter_gets_a_gradient() {
    let store = nn::VarStore::new(Device::Cpu);
    let model = RtDetr::new(&store.root(), &tiny()).expect("a valid configuration");
    let images = Tensor::rand([2, 3, 96, 160], (Kind::Float, Device::Cpu));
    let targets = Targets::new(&[vec![0, 3], vec![]], &[vec![[0.5, 0.5, 0.2, 0.3]; 2], vec![]], Device::Cpu);
    let out = model.forward_train(&images, &targets, &mut TorchNoise);
    let layers = out.aux.iter().chain(&out.enc_aux).chain(&out.dn_aux).chain([&out.main]);
    let sum = layers.fold(Tensor::from(0_f32), |sum, layer| {
        sum + layer.pred_logits.square().sum(Kind::Float) + layer.pred_boxes.square().sum(Kind::Float)
    });
    sum.backward();
    for (name, tensor) in store.variables() {
        assert!(!tensor.requires_grad() || tensor.grad().defined(), "{name} has no gradient");
    }
    assert!(sum.isfinite().int64_value(&[]) == 1);
}

#[test]
fn the_padding_row_gets_no_gradient() {
    let store = nn::VarStore::new(Device::Cpu);
    let model = RtDetr::new(&store.root(), &tiny()).expect("a valid configuration");
    let images = Tensor::rand([2, 3, 128, 128], (Kind::Float, Device::Cpu));
    let targets = Targets::new(&[vec![0, 3], vec![1]], &[vec![[0.5; 4]; 2], vec![[0.4; 4]]], Device::Cpu);
    let out = model.forward_train(&images, &targets, &mut TorchNoise);
    out.dn_aux[0].pred_logits.square().sum(Kind::Float).backward();
    let grad = store.variables()["decoder.denoising_class_embed.weight"].grad();
    assert_eq!(grad.select(0, 4).abs().max().double_value(&[]), 0.);
    assert!(grad.abs().max().double_value(&[]) > 0.);
}
