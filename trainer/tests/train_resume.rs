//! A run that is stopped and resumed is the run that was never stopped, bit for bit.
//!
//! Only one test here may draw random numbers: libtorch has one generator for the process.

mod support;

use std::path::Path;

use support::tiny;
use tch::Device;
use trainer::data::{Batch, Loader};
use trainer::train::{Checkpoint, Session};

const IMAGES: usize = 16;

/// Trains `steps` steps from where `session` stands; returns the exact losses, gradient norms and learning rates.
fn train(session: &mut Session, loader: &Loader, steps: usize) -> Vec<[u64; 3]> {
    let (epoch, done) = (session.counters().epoch, session.counters().step_in_epoch);
    let batches = loader.epoch_from(epoch, done as usize).take(steps);
    batches
        .map(|batch| {
            let report = session.step(&batch.expect("a batch")).expect("a finite loss");
            [report.loss, report.grad_norm, report.lr].map(f64::to_bits)
        })
        .collect()
}

/// All that a session is made of: weights, average, optimiser, counters, configuration.
fn bytes(session: &Session, path: &Path) -> Vec<u8> {
    session.checkpoint().save(path).expect("a writable folder");
    std::fs::read(path).expect("the file is there")
}

#[test]
fn stopped_in_the_middle_of_an_epoch() {
    let folder = tempfile::tempdir().expect("a folder");
    let (config, path) = (tiny::config(), folder.path().join("last.safetensors"));
    let loader = tiny::train_loader(&config, IMAGES);
    let per_epoch = loader.batches_per_epoch();

    let mut whole = tiny::session(&config, per_epoch);
    let mut losses = train(&mut whole, &loader, per_epoch);
    whole.finish_epoch(0.123_456_789_012_345_67);
    losses.extend(train(&mut whole, &loader, 3));

    let mut first = tiny::session(&config, per_epoch);
    let mut pieces = train(&mut first, &loader, per_epoch);
    first.finish_epoch(0.123_456_789_012_345_67);
    pieces.extend(train(&mut first, &loader, 1));
    first.checkpoint().save(&path).expect("a writable folder");
    drop(first);
    let checkpoint = Checkpoint::load(&path).expect("a whole checkpoint");
    let mut second = tiny::session(&checkpoint.meta.config, per_epoch);
    second.resume(&checkpoint).expect("the same model");
    assert_eq!(second.counters(), &checkpoint.meta.counters);
    pieces.extend(train(&mut second, &loader, 2));

    assert_eq!(losses.len(), 7);
    assert_eq!(pieces, losses);
    assert!(bytes(&second, &path) == bytes(&whole, &path), "the states differ");
}

#[test]
fn the_tail_of_an_epoch_is_what_was_left() {
    let config = tiny::config();
    let loader = tiny::train_loader(&config, IMAGES);
    let batches = |first| loader.epoch_from(3, first).map(Result::unwrap).collect::<Vec<Batch>>();
    let all = batches(0);
    for first in 0..=all.len() + 1 {
        let tail = batches(first);
        let want = &all[first.min(all.len())..];
        assert_eq!(tail.len(), want.len());
        for (got, want) in tail.iter().zip(want) {
            assert_eq!(got.image_ids, want.image_ids);
            let pixels = |batch: &Batch| batch.images(Device::Cpu);
            assert_eq!(pixels(got), pixels(want));
        }
    }
}
