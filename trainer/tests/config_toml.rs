//! TOML files that state what differs from a preset, and what is said about those that cannot be read.

use std::path::PathBuf;

use tempfile::TempDir;
use trainer::config::{DataSource, Preset, TrainConfig, TrainConfigError};
use trainer::model::{BackboneConfig, HgNetV2Config, HgNetV2Name};
use trainer::train::schedule::Decay;

struct File(TempDir);

impl File {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("run.toml"), text).expect("a file");
        Self(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("run.toml")
    }

    fn read(&self) -> Result<TrainConfig, TrainConfigError> {
        TrainConfig::read(&self.path())
    }
}

fn small() -> TrainConfig {
    Preset::find("rtdetrv2_r18vd").expect("a preset").config(DataSource::SHAPES)
}

#[test]
fn what_a_file_leaves_out_comes_from_its_preset() {
    let text = "preset = \"rtdetrv2_r18vd\"\nepochs = 7\n[optimizer]\nlr = 3e-4\n[model.decoder]\nnum_queries = 100\n";
    let mut want = small();
    want.epochs = 7;
    want.optimizer.lr = 3e-4;
    want.model.decoder.num_queries = 100;
    assert_eq!(File::new(text).read().expect("a configuration"), want);
}

#[test]
fn a_preset_alone_is_the_preset() {
    assert_eq!(File::new("preset = 'rtdetrv2_r18vd_120e_coco'").read().expect("a configuration"), small());
}

#[test]
fn a_base_stands_in_for_a_preset() {
    let file = File::new("seed = 5");
    let want = TrainConfig { seed: 5, ..small() };
    assert_eq!(TrainConfig::read_over(&file.path(), Some(&small())).expect("a configuration"), want);
}

#[test]
fn another_backbone_source_or_decay_replaces_that_of_the_preset() {
    let text = "preset = 'rtdetrv2_r18vd'\ndecay = 'constant'\n[model.backbone.hgnetv2]\nname = 'X'\n\
                [data.source.voc]\nfolder = 'photos'\n";
    let config = File::new(text).read().expect("a configuration");
    let backbone = HgNetV2Config { name: HgNetV2Name::X, ..HgNetV2Config::default() };
    assert_eq!(config.model.backbone, BackboneConfig::HgNetV2(backbone));
    assert_eq!(
        (config.data.source, config.decay),
        (DataSource::Voc { folder: "photos".into() }, Decay::Constant)
    );
    assert_eq!(config.data.side, 640);
}

#[test]
fn the_same_backbone_keeps_the_fields_of_the_preset() {
    let text = "preset = 'rtdetrv2_r50vd'\n[model.backbone.presnet]\nfreeze_at = -1\n";
    let BackboneConfig::PResNet(backbone) = File::new(text).read().expect("a configuration").model.backbone
    else {
        panic!("a ResNet");
    };
    assert_eq!((backbone.depth, backbone.freeze_at, backbone.freeze_norm), (50, -1, true));
}

#[test]
fn groups_replace_those_of_the_preset() {
    let text = "preset = 'rtdetrv2_r34vd'\n[[optimizer.groups]]\npattern = 'backbone'\nlr = 1e-6\n";
    let groups = File::new(text).read().expect("a configuration").optimizer.groups;
    assert_eq!(groups.len(), 1);
    assert_eq!((groups[0].lr, groups[0].weight_decay), (Some(1e-6), None));
}

fn fails(text: &str, parts: &[&str]) {
    let message = File::new(text).read().expect_err("a fault").to_string();
    for part in ["run.toml"].iter().chain(parts) {
        assert!(message.contains(part), "`{part}` is not in:\n{message}");
    }
}

#[test]
fn a_fault_is_shown_with_line_and_caret() {
    let text = "preset = 'rtdetrv2_r18vd'\nepochs = 7\n\n[model.decoder]\nnum_querys = 100\n";
    fails(
        text,
        &[
            "line 5, column 1",
            "num_querys = 100",
            "^^^^^^^^^^",
            "unknown field `num_querys`",
            "`num_queries`",
        ],
    );
    let text = "preset = 'rtdetrv2_r18vd'\nepochs = 'seven'\n";
    fails(text, &["line 2, column 10", "^^^^^^^", "invalid type: string \"seven\", expected u64"]);
    fails("preset = 'rtdetrv2_r18vd'\n[model]\nbackbone = 3", &["line 3", "^"]);
    fails("preset = 18", &["line 1, column 10", "^^", "expected a string"]);
    fails("epochs = ", &["line 1", "^"]);
}

#[test]
fn without_a_preset_a_file_has_to_be_whole() {
    fails("epochs = 3", &["missing field"]);
}

#[test]
fn an_unknown_preset_is_named() {
    let message = File::new("preset = 'rtdetrv2_r18v'").read().expect_err("a typo").to_string();
    assert!(message.contains("did you mean `rtdetrv2_r18vd`"), "{message}");
}
