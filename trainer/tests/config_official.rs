//! Official YAML configurations: includes, merging, overrides, and what is said about faults.
//!
//! The files here are small ones of the same form. Where the variable `RTDETR_OFFICIAL` names the folder
//! `rtdetrv2_pytorch` of the official repository, its own files are read too.

mod support;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use support::golden;
use tempfile::TempDir;
use trainer::config::{DataSource, OfficialConfig, OfficialConfigError, PRESETS, Preset, TrainConfig};
use trainer::loss::{BoxesWeight, ClassLoss};
use trainer::model::{Activation, BackboneConfig, QuerySelectMethod};

/// Model, criterion and optimiser of a run, in three files and one that includes them.
struct Files(TempDir);

const MODEL: &str = "
task: detection
model: RTDETR
criterion: RTDETRCriterionv2
postprocessor: RTDETRPostProcessor
use_focal_loss: True
eval_spatial_size: [320, 320] # height, width
num_classes: 7
RTDETR: {backbone: PResNet, encoder: HybridEncoder, decoder: RTDETRTransformerv2}
PResNet:
  depth: 18
  variant: d
  return_idx: [1, 2, 3]
  freeze_norm: False
HybridEncoder: {in_channels: [128, 256, 512], hidden_dim: 128, expansion: 0.5}
RTDETRTransformerv2:
  feat_channels: [128, 128, 128]
  num_layers: 6
  num_points: [4, 2, 1]
RTDETRCriterionv2:
  weight_dict: {loss_vfl: 1, loss_bbox: 5, loss_giou: 2,}
  losses: ['vfl', 'boxes', ]
  alpha: 0.75
  matcher:
    type: HungarianMatcher
    weight_dict: {cost_class: 2, cost_bbox: 5, cost_giou: 2}
";

const DATA: &str = "
train_dataloader: &loader
  dataset:
    type: VOCDetection
    root: ./voc/
    ann_file: trainval.txt
    label_file: label_list.txt
    transforms:
      ops:
        - {type: SanitizeBoundingBoxes, min_size: 1}
        - {type: RandomHorizontalFlip}
        - {type: Resize, size: [320, 320], }
        - {type: SanitizeBoundingBoxes, min_size: 1}
        - {type: ConvertPILImage, dtype: 'float32', scale: True}
        - {type: ConvertBoxes, fmt: 'cxcywh', normalize: True}
  collate_fn: {type: BatchImageCollateFunction, scales: [288, 320, 352], stop_epoch: 5}
  total_batch_size: 8
val_dataloader:
  dataset: {type: VOCDetection, root: ./voc/, ann_file: test.txt, label_file: label_list.txt}
  batch_size: 4
";

const OPTIMIZER: &str = "
use_ema: True
ema: {type: ModelEMA, decay: 0.999, warmups: 1000}
epoches: 72
optimizer:
  type: AdamW
  params:
    -
      params: '^(?=.*backbone)(?!.*norm).*$'
      lr: 0.00001
  lr: 0.0001
  betas: [0.9, 0.99]
  weight_decay: 0.
lr_scheduler: {type: MultiStepLR, milestones: [10, 20], gamma: 0.5}
lr_warmup_scheduler: {type: LinearWarmup, warmup_duration: 20}
";

const RUN: &str = "
__include__: ['include/model.yml', 'include/data.yml', 'include/optimizer.yml']
output_dir: ./output/run
epoches: 9
optimizer:
  params: ~
  lr: 0.0002
RTDETRTransformerv2:
  num_layers: 3
train_dataloader:
  collate_fn:
    scales: ~
";

impl Files {
    fn new() -> Self {
        let files = Self(tempfile::tempdir().expect("a folder"));
        files.write("include/model.yml", MODEL);
        files.write("include/data.yml", DATA);
        files.write("include/optimizer.yml", OPTIMIZER);
        files.write("run.yml", RUN);
        files
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder above")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, overrides: &[&str]) -> Result<OfficialConfig, OfficialConfigError> {
        let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
        OfficialConfig::read(&self.path("run.yml"), &overrides)
    }

    fn config(&self, overrides: &[&str]) -> TrainConfig {
        self.read(overrides)
            .and_then(|config| config.train_config(DataSource::SHAPES))
            .expect("a configuration")
    }

    fn refused(&self, overrides: &[&str]) -> String {
        let read = self.read(overrides).and_then(|config| config.train_config(DataSource::SHAPES));
        read.expect_err("a fault").to_string()
    }
}

#[track_caller]
fn says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in:\n{message}");
    }
}

#[test]
fn included_files_come_first_and_mappings_merge() {
    let config = Files::new().config(&[]);
    assert_eq!((config.epochs, config.batch_size, config.warmup_steps, config.data.side), (9, 8, 20, 320));
    assert_eq!((config.model.num_classes, config.model.decoder.num_layers), (7, 3));
    assert_eq!(config.model.decoder.num_points, [4, 2, 1]);
    assert_eq!((config.optimizer.lr, config.optimizer.betas), (2e-4, (0.9, 0.99)));
    assert_eq!((config.ema.decay, config.ema.warmups), (0.999, 1000.0));
}

#[test]
fn lists_and_null_replace_as_a_whole() {
    let files = Files::new();
    assert!(files.config(&[]).optimizer.groups.is_empty());
    assert!(files.read(&[]).expect("a tree").data().expect("data").scales.is_empty());
    files.write("run.yml", &RUN.replace("  params: ~\n", ""));
    assert_eq!(files.config(&[]).optimizer.groups[0].lr, Some(1e-5));
}

#[test]
fn absent_keys_have_the_defaults_of_the_official_classes() {
    let config = Files::new().config(&[]);
    let BackboneConfig::PResNet(backbone) = &config.model.backbone else { panic!("a ResNet") };
    assert_eq!((backbone.freeze_at, backbone.freeze_norm), (-1, false));
    assert_eq!((config.model.encoder.depth_mult, config.model.encoder.enc_act), (1.0, Activation::Gelu));
    assert_eq!((config.clip_max_norm, config.criterion.gamma, config.criterion.alpha), (0.0, 2.0, 0.75));
    let files = Files::new();
    files.write(
        "include/model.yml",
        &MODEL.replace("  freeze_norm: False\n", "").replace("  alpha: 0.75\n", ""),
    );
    let config = files.config(&["optimizer.weight_decay=0.01", "use_ema=False"]);
    let BackboneConfig::PResNet(backbone) = &config.model.backbone else { panic!("a ResNet") };
    assert!(backbone.freeze_norm, "the class freezes norms unless told otherwise");
    assert_eq!((config.criterion.alpha, config.ema.decay), (0.2, 0.0));
}

#[test]
fn overrides_come_last_and_are_yaml() {
    let config = Files::new().config(&[
        "epoches=3",
        "RTDETRTransformerv2.num_points=2",
        "RTDETRTransformerv2.query_select_method=one2many",
        "RTDETRCriterionv2.losses=[focal, boxes]",
        "RTDETRCriterionv2.weight_dict={loss_focal: 2}",
        "RTDETRCriterionv2.boxes_weight_format=giou",
        "HybridEncoder.act=relu",
    ]);
    assert_eq!((config.epochs, config.model.decoder.num_points), (3, vec![2; 3]));
    assert_eq!(config.model.decoder.query_select_method, QuerySelectMethod::One2many);
    assert_eq!((config.criterion.class_loss, config.criterion.weights.loss_focal), (ClassLoss::Focal, 2.0));
    assert_eq!(config.criterion.boxes_weight_format, BoxesWeight::Giou);
    assert_eq!(config.model.encoder.act, Activation::Relu);
}

#[test]
fn an_unknown_key_is_shown_where_it_stands() {
    let files = Files::new();
    files.write("include/model.yml", &MODEL.replace("  num_layers: 6", "  num_layres: 6"));
    says(
        &files.refused(&[]),
        &[
            "include/model.yml",
            "line 18, column 3",
            "18 |   num_layres: 6\n   |   ^^^^^^^^^^\n",
            "unknown key `num_layres`: did you mean `num_layers`?",
        ],
    );
    let files = Files::new();
    says(
        &files.refused(&["RTDETRTransformerv2.num_layres=4"]),
        &[
            "override `RTDETRTransformerv2.num_layres=4`",
            "num_layres: 4",
            "^^^^^^^^^^",
            "did you mean `num_layers`?",
        ],
    );
    says(&files.refused(&["epoches"]), &["override `epoches`", "expected `key=value`"]);
    says(&files.refused(&["epoches=many"]), &["override `epoches=many`", "^"]);
    says(&files.refused(&[".epoches=1"]), &["expected `key=value`"]);
}

#[test]
fn broken_text_and_wrong_types_are_shown() {
    let files = Files::new();
    files.write("run.yml", "epoches: [1, 2\n");
    says(&files.refused(&[]), &["run.yml", "line"]);
    files.write("run.yml", "epoches: many\n");
    says(&files.refused(&[]), &["run.yml", "line 1, column 10", "epoches: many\n  |          ^^^^"]);
    files.write("run.yml", "epoches: 1\nepoches: 2\n");
    says(
        &files.refused(&[]),
        &["run.yml", "line 2, column 1", "^^^^^^^", "the key `epoches` stands here twice"],
    );
}

#[test]
fn includes_that_are_not_there_or_never_end() {
    let files = Files::new();
    files.write("run.yml", "__include__: ['include/none.yml']");
    says(&files.refused(&[]), &["include/none.yml", "which", "run.yml", "No such file"]);
    files.write("run.yml", "__include__: ['include/a.yml']");
    files.write("include/a.yml", "__include__: ['../run.yml']");
    says(&files.refused(&[]), &["includes itself", "run.yml -> ", "a.yml -> "]);
}

#[test]
fn a_file_without_keys_changes_nothing() {
    let files = Files::new();
    let plain = files.config(&[]);
    files.write("include/empty.yml", "# nothing yet\n");
    files.write("run.yml", &RUN.replace("'include/model.yml'", "'include/model.yml', 'include/empty.yml'"));
    assert_eq!(files.config(&[]), plain);
}

#[test]
fn what_this_trainer_does_not_have_is_refused_by_its_path() {
    let files = Files::new();
    for (text, parts) in [
        ("PResNet.variant=b", ["`PResNet.variant` is b", "variant `d`"]),
        ("PResNet.return_idx=[2, 3]", ["`PResNet.return_idx` is [2, 3]", "[1, 2, 3]"]),
        ("RTDETR.backbone=TimmModel", ["`RTDETR.backbone` is TimmModel", "`HGNetv2`"]),
        ("RTDETR.backbone=HGNetv2", ["no `HGNetv2`", "add it"]),
        ("eval_spatial_size=[320, 640]", ["`eval_spatial_size` is [320, 640]", "square"]),
        (
            "HybridEncoder.in_channels=[1, 2, 3]",
            ["`HybridEncoder.in_channels` is [1, 2, 3]", "the backbone makes"],
        ),
        ("HybridEncoder.version=v1", ["`HybridEncoder.version` is v1", "`v2`"]),
        ("RTDETRTransformerv2.feat_channels=[9, 9, 9]", ["feat_channels` is [9, 9, 9]", "hidden_dim"]),
        ("optimizer.type=SGD", ["`optimizer.type` is SGD", "`AdamW`"]),
        ("lr_scheduler.type=OneCycleLR", ["`lr_scheduler.type` is OneCycleLR", "`MultiStepLR`"]),
        ("RTDETRCriterionv2.losses=[boxes]", ["losses` is [\"boxes\"]", "`vfl` or `focal`"]),
        ("train_dataloader.dataset.type=CocoCaptions", ["`dataset.type` is CocoCaptions", "`CocoDetection`"]),
        (
            "train_dataloader.dataset.transforms.ops=[{type: Mosaic}]",
            ["transforms.ops` is", "official pipeline"],
        ),
    ] {
        says(&files.refused(&[text]), &parts);
    }
}

#[test]
fn weights_to_start_from_are_named() {
    let weights = |overrides: &[&str]| Files::new().read(overrides).expect("a tree").initial_weights();
    assert_eq!(weights(&["PResNet.pretrained=False", "tuning=~"]), []);
    assert_eq!(weights(&["HGNetv2.pretrained=True"]), [], "another backbone");
    let named = [("tuning", "https://somewhere/weights.pth"), ("PResNet.pretrained", "true")];
    assert_eq!(
        weights(&["PResNet.pretrained=True", "tuning=https://somewhere/weights.pth"]),
        named.map(|(key, value)| (key.to_owned(), value.to_owned()))
    );
}

/// Numbers by value: 1 and 1.0 are the same.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}

fn check_official_file(folder: &Path, preset: &Preset) {
    let path = folder.join("configs/rtdetrv2").join(format!("{}.yml", preset.name));
    let config = OfficialConfig::read(&path, &[]).expect(preset.name);
    let resolved = golden::json(&format!("presets/config_{}.json", preset.name));
    assert!(same(config.tree(), &resolved), "{}: {:#} instead of {resolved:#}", preset.name, config.tree());
    let run = config.train_config(DataSource::SHAPES).expect(preset.name);
    assert_eq!(run, preset.config(DataSource::SHAPES), "{}", preset.name);
}

#[test]
fn the_official_files_are_read_as_they_are() {
    let Some(folder) = std::env::var_os("RTDETR_OFFICIAL").map(PathBuf::from) else { return };
    PRESETS.iter().for_each(|preset| check_official_file(&folder, preset));
    println!("read {} official configurations from {}", PRESETS.len(), folder.display());
}

#[test]
fn merging_keeps_what_the_later_file_does_not_name() {
    let tree = Files::new().read(&[]).expect("a tree").tree().clone();
    assert_eq!(tree["train_dataloader"]["collate_fn"]["stop_epoch"], json!(5));
    assert_eq!(tree["train_dataloader"]["collate_fn"]["scales"], Value::Null);
    assert_eq!(tree.get("__include__"), None);
}
