//! Ten epochs of training and evaluation through the loader, all augmentations on: tensor bytes stay equal to the
//! byte, and the process does not grow.
//!
//! One test in this file: it reads the counters of the whole process. `--nocapture` shows the numbers.

mod support;

use std::sync::atomic::AtomicBool;

use guard_core::{memory, no_retain};
use support::tiny;
use tch::Device;
use trainer::config::Augmentation;
use trainer::eval::{PostProcessor, PostProcessorConfig};
use trainer::train::{EpochEnd, StepObserver, StepReport, TrainError, evaluate, train_one_epoch};

const EPOCHS: usize = 10;
/// Epochs after which allocators and thread pools are warm.
const WARM: usize = 4;
/// Allocators keep what they may need again; a kept epoch of images, or of graphs, would be many times this.
const MOST_GROWTH: u64 = 6 << 20;
const TRAIN_IMAGES: usize = 32;
const VAL_IMAGES: usize = 8;

#[no_retain]
struct Ignore;

impl StepObserver for Ignore {
    fn step(&mut self, _report: &StepReport) -> Result<(), TrainError> {
        Ok(())
    }
}

#[test]
fn memory_is_flat_over_ten_epochs_of_training_and_evaluation() {
    memory::install();
    let mut config = tiny::config();
    config.data.augmentation = Augmentation::Official;
    config.data.mosaic = 0.3;
    let (train, val) = (tiny::train_loader(&config, TRAIN_IMAGES), tiny::val_loader(&config, VAL_IMAGES));
    let postprocessor = PostProcessor::new(PostProcessorConfig { num_top_queries: 50, ..Default::default() });
    let mut session = tiny::session(&config, TRAIN_IMAGES / config.batch_size);
    let (mut live, mut resident) = (Vec::new(), Vec::new());
    for epoch in 0..EPOCHS {
        let end = train_one_epoch(&mut session, &train, &AtomicBool::new(false), &mut Ignore);
        assert_eq!(end.expect("a finite loss"), EpochEnd::Finished);
        let stats = evaluate(session.averaged(), &val, &postprocessor, Device::Cpu);
        session.finish_epoch(stats.expect("statistics").ap);
        live.push(memory::live_bytes());
        resident.push(memory::resident_bytes().unwrap_or(0));
        println!("epoch {epoch}: {} tensor bytes, {} kB resident", live[epoch], resident[epoch] >> 10);
    }
    assert_eq!(live, vec![live[0]; EPOCHS], "tensor bytes after each epoch");
    let growth = resident[EPOCHS - 1].saturating_sub(resident[WARM]);
    assert!(growth < MOST_GROWTH, "the process grew by {growth} bytes: {resident:?}");
}
