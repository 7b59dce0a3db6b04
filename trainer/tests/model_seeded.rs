//! Options whose effect shows between two runs from one seed.

mod support;

use std::sync::Mutex;

use support::golden;
use tch::{Device, Kind, Tensor, nn};
use trainer::model::{RtDetr, RtDetrConfig, TorchNoise, TrainOutputs};
use trainer::ops::Targets;

/// The process has one generator: whoever else draws from it while a test runs changes what the test sees.
static GENERATOR: Mutex<()> = Mutex::new(());

/// A small network with four classes.
fn tiny() -> RtDetrConfig {
    let config = golden::tiny_config(&golden::json("tiny/r18_default/meta.json"));
    RtDetrConfig { num_classes: 4, eval_spatial_size: None, ..config }
}

/// One step's main predictions, with the generator seeded.
fn train_outputs(config: &RtDetrConfig) -> TrainOutputs {
    tch::manual_seed(1);
    let store = nn::VarStore::new(Device::Cpu);
    let model = RtDetr::new(&store.root(), config).expect("a valid configuration");
    let images =
        Tensor::linspace(0., 1., 2 * 3 * 128 * 128, (Kind::Float, Device::Cpu)).view([2, 3, 128, 128]);
    let targets = Targets::new(&[vec![0, 3], vec![1]], &[vec![[0.5; 4]; 2], vec![[0.4; 4]]], Device::Cpu);
    tch::manual_seed(2);
    model.forward_train(&images, &targets, &mut TorchNoise)
}

#[test]
fn dropout_changes_training_and_not_evaluation() {
    let _generator = GENERATOR.lock();
    let plain = train_outputs(&tiny()).main.pred_logits;
    for part in ["encoder", "decoder"] {
        let mut config = tiny();
        match part {
            "encoder" => config.encoder.dropout = 0.5,
            _ => config.decoder.dropout = 0.5,
        }
        let dropped = train_outputs(&config).main.pred_logits;
        assert_ne!(dropped, plain, "{part}");
        let store = nn::VarStore::new(Device::Cpu);
        let model = RtDetr::new(&store.root(), &config).expect("a valid configuration");
        let images = Tensor::ones([1, 3, 128, 128], (Kind::Float, Device::Cpu));
        let [first, second] = [(), ()].map(|()| model.forward_eval(&images).pred_logits);
        assert_eq!(first, second, "{part}");
    }
}

#[test]
fn without_aux_loss_only_the_last_layer_is_supervised() {
    let _generator = GENERATOR.lock();
    let mut config = tiny();
    let whole = train_outputs(&config);
    config.decoder.aux_loss = false;
    let last = train_outputs(&config);
    assert_eq!(last.main.pred_boxes, whole.main.pred_boxes);
    assert!(
        last.aux.is_empty() && last.enc_aux.is_empty() && last.dn_aux.is_empty() && last.dn_meta.is_none()
    );
}
