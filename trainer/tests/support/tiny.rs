//! A run that takes seconds: the whole network, narrow, on a few rendered scenes.

use std::sync::Arc;

use tch::Device;
use trainer::config::{DataConfig, DataSource, TrainConfig};
use trainer::data::{Dataset, EvalTransforms, Loader, LoaderConfig, Shapes, Split};
use trainer::model::PResNetConfig;
use trainer::train::{AdamWConfig, Session};

/// Side of the images.
pub const SIDE: u32 = 64;

/// Two epochs of four steps.
pub fn config() -> TrainConfig {
    let mut config = TrainConfig::shapes();
    config.epochs = 2;
    config.batch_size = 4;
    config.warmup_steps = 2;
    config.data = DataConfig { source: DataSource::Shapes { train: 16, val: 8 }, side: SIDE, ..config.data };
    config.optimizer = AdamWConfig { lr: 1e-3, ..config.optimizer };
    let model = &mut config.model;
    model.backbone = PResNetConfig { stem: 8, widths: [8, 8, 16, 16], ..PResNetConfig::default() }.into();
    (model.encoder.hidden_dim, model.encoder.nhead, model.encoder.dim_feedforward) = (16, 2, 32);
    (model.decoder.hidden_dim, model.decoder.nhead, model.decoder.dim_feedforward) = (16, 2, 32);
    (model.decoder.num_queries, model.decoder.num_layers, model.decoder.num_denoising) = (16, 2, 10);
    model.num_classes = 5;
    config
}

/// The rendered scenes of a split.
pub fn shapes(split: Split, len: usize) -> Arc<Shapes> {
    Arc::new(Shapes::new(split, 0, len, SIDE).expect("a valid size"))
}

/// Shuffled batches for training.
pub fn train_loader(config: &TrainConfig, images: usize) -> Loader {
    let how = LoaderConfig { batch_size: config.batch_size, seed: config.seed, ..LoaderConfig::default() };
    let how = LoaderConfig { shuffle: true, drop_last: true, ..how };
    Loader::new(shapes(Split::Train, images), Arc::new(config.data.train_transforms()), how)
        .expect("a loader")
}

/// Ordered batches for evaluation.
pub fn val_loader(config: &TrainConfig, images: usize) -> Loader {
    let how = LoaderConfig { batch_size: config.batch_size, ..LoaderConfig::default() };
    Loader::new(shapes(Split::Val, images), Arc::new(EvalTransforms { side: SIDE }), how).expect("a loader")
}

/// A seeded session on the CPU, on one thread: tensors this small gain nothing from more.
pub fn session(config: &TrainConfig, steps_per_epoch: usize) -> Session {
    tch::set_num_threads(1);
    let classes = shapes(Split::Train, 1).class_names().to_vec();
    Session::new(config.clone(), classes, steps_per_epoch as u64, Device::Cpu).expect("a valid configuration")
}
