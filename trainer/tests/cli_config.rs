//! Where the configuration of a run comes from, at the command line.

mod support;

use support::cli::Place;
use trainer::config::{DataSource, PRESETS, TrainConfig};
use trainer::model::BackboneConfig;

/// A published recipe made so small that it runs in seconds.
const SMALL: &str = "
preset = 'rtdetrv2_r18vd'
epochs = 1
batch_size = 4
warmup_steps = 2
[data]
side = 64
[data.source.shapes]
train = 8
val = 4
[model]
eval_spatial_size = [64, 64]
[model.backbone.presnet]
stem = 8
widths = [8, 8, 16, 16]
[model.encoder]
hidden_dim = 16
nhead = 2
dim_feedforward = 32
[model.decoder]
hidden_dim = 16
nhead = 2
dim_feedforward = 32
num_queries = 16
num_layers = 2
num_denoising = 10
dropout = 0.1
";

const RUN: &str = "train --threads 1 --device cpu --run run";

#[test]
fn a_recipe_with_changes_is_trained_and_written_out_whole() {
    let place = Place::new();
    place.write("small.toml", SMALL);
    place.run(&format!("{RUN} --config small.toml --lr 1e-3")).succeeded();
    let config = TrainConfig::read(&place.path("run/config.toml")).expect("a configuration");
    assert_eq!((config.epochs, config.optimizer.lr, config.ema.warmups), (1, 1e-3, 2000.0));
    assert_eq!(config.data.source, DataSource::Shapes { train: 8, val: 4 });
    let BackboneConfig::PResNet(backbone) = &config.model.backbone else { panic!("a ResNet") };
    assert_eq!((backbone.depth, backbone.stem), (18, 8));
    assert_eq!((config.model.num_classes, config.model.decoder.num_points.len()), (5, 3));
}

#[test]
fn the_side_flag_changes_the_size_of_evaluation_as_well() {
    let place = Place::new();
    place.write("small.toml", SMALL);
    place.run(&format!("{RUN} --config small.toml --side 96")).succeeded();
    let config = TrainConfig::read(&place.path("run/config.toml")).expect("a configuration");
    assert_eq!((config.data.side, config.model.eval_spatial_size), (96, Some([96, 96])));
}

#[test]
fn the_recipes_are_listed() {
    let list = Place::new().run("presets").succeeded().stdout;
    assert_eq!(list.lines().count(), 1 + PRESETS.len());
    for preset in &PRESETS {
        assert!(list.contains(&format!("{} ", preset.short)) && list.contains(preset.name), "{list}");
    }
}

#[test]
fn faults_of_the_command_line() {
    let place = Place::new();
    place.write("a.yml", "epoches: 3\n");
    place.write("bad.yml", "RTDETRTransformerv2:\n  num_layres: 3\n");
    let fails = |args: &str, parts: &[&str]| place.run(&format!("{RUN} {args}")).failed_saying(parts);
    fails(
        "--preset rtdetrv2_r50dv",
        &["`rtdetrv2_r50dv`", "did you mean `rtdetrv2_r50vd`", "rtdetrv2_hgnetv2_h"],
    );
    fails("--preset rtdetrv2_r18vd -c a.yml", &["--preset", "a.yml", "exclude each other"]);
    fails("-c a.yml", &["a.yml", "--data"]);
    fails("-c tiny.toml -u epoches=3", &["-u", "tiny.toml"]);
    fails("-u epoches=3", &["--config"]);
    fails("-c a.yml --data shapes", &["no `RTDETR`", "add it"]);
    fails(
        "-c bad.yml --data shapes",
        &["bad.yml", "line 2, column 3", "num_layres", "did you mean `num_layers`"],
    );
    fails("-c a.yml --data shapes -u epoches", &["`epoches`", "key=value"]);
    fails("--preset rtdetrv2_r18vd --side 96", &["`decoder.num_queries` is 300", "96x96", "189 cells"]);
    assert!(!place.path("run").exists(), "no fault leaves a run directory");
}
