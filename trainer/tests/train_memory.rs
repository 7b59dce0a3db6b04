//! A step leaves nothing behind: tensor bytes are equal to the byte, and no graph node stays on the heap.
//!
//! One test in this file: it reads the counters of the whole process.

mod support;

use guard_core::memory;
use support::tiny;
use tch::Device;
use trainer::eval::{PostProcessor, PostProcessorConfig};
use trainer::train::{StepReport, evaluate};

/// Steps of an epoch, and epochs.
const STEPS: usize = 5;
const EPOCHS: usize = 4;

/// A step's graph has thousands of nodes of about a kilobyte.
const HEAP_PER_STEP: i64 = 50_000;

#[derive(Debug, PartialEq)]
struct Left {
    live_bytes: u64,
    storages: u64,
}

fn left() -> Left {
    Left { live_bytes: memory::live_bytes(), storages: memory::live_storages() }
}

#[test]
fn nothing_stays_after_a_step_or_an_evaluation() {
    memory::install();
    let config = tiny::config();
    let (train, val) = (tiny::train_loader(&config, STEPS * config.batch_size), tiny::val_loader(&config, 8));
    let postprocessor = PostProcessor::new(PostProcessorConfig { num_top_queries: 50, ..Default::default() });
    let mut session = tiny::session(&config, STEPS);
    let (mut steps, mut heap) = (Vec::new(), Vec::new());
    let mut objects = Vec::new();
    for epoch in 0..EPOCHS {
        for batch in train.epoch(epoch as u64) {
            let batch = batch.expect("a batch");
            objects.push(batch.targets(Device::Cpu).counts.iter().sum::<usize>());
            let report: StepReport = session.step(&batch).expect("a finite loss");
            assert!(report.peak_bytes > report.live_bytes, "the step allocated nothing");
            assert_eq!(report.live_bytes, memory::live_bytes(), "the report is not about now");
            steps.push(left());
            heap.push(memory::heap_bytes());
        }
        let before = left();
        let stats = evaluate(session.averaged(), &val, &postprocessor, Device::Cpu);
        session.finish_epoch(stats.expect("statistics").ap);
        assert_eq!(left(), before, "an evaluation left something");
        session.checkpoint();
        assert_eq!(left(), before, "a checkpoint left something");
    }
    assert_eq!(steps.len(), STEPS * EPOCHS);
    assert!(objects.iter().any(|&n| n != objects[0]), "all batches have as many objects");
    // The first step leaves nothing either, now that the optimiser's state is made at the start.
    for (step, found) in steps.iter().enumerate().skip(1) {
        assert_eq!(found, &steps[1], "after step {step}, counted from 0");
    }
    check_heap(&heap);
}

/// Growth over the second half, where caches are full.
fn check_heap(heap: &[Option<u64>]) {
    let half = &heap[heap.len() / 2..];
    // Not every C library tells.
    let (Some(first), Some(last)) = (half[0], half[half.len() - 1]) else { return };
    let per_step = (last as i64 - first as i64) / (half.len() as i64 - 1);
    println!("heap grows by {per_step} bytes a step");
    assert!(per_step < HEAP_PER_STEP, "the heap grows by {per_step} bytes a step");
}
