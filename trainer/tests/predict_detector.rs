//! The detector: which file it loads, what it takes, and that it finds what the evaluation finds.

mod support;

use std::path::Path;
use std::sync::Arc;

use image::{Rgb, RgbImage};
use indicatif::ProgressBar;
use support::tiny;
use tch::Device;
use tempfile::TempDir;
use trainer::data::{Dataset, EvalTransforms, Loader, LoaderConfig, Split};
use trainer::eval::{Detection, EvalError, PostProcessor, PostProcessorConfig};
use trainer::predict::{Detector, PredictError};
use trainer::train::{Checkpoint, Session, evaluate};

/// A folder with both checkpoints of a fresh session.
fn run_folder() -> (TempDir, Session) {
    let folder = tempfile::tempdir().expect("a folder");
    let session = tiny::session(&tiny::config(), 4);
    session.release().save(&folder.path().join("best.safetensors")).expect("a writable folder");
    session.checkpoint().save(&folder.path().join("last.safetensors")).expect("a writable folder");
    (folder, session)
}

fn load(path: &Path) -> Result<Detector, PredictError> {
    Detector::load(path, Device::Cpu)
}

fn picture(width: u32, height: u32, seed: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        Rgb([(x * 5 + seed) as u8, (y * 7) as u8, (x * y + seed * 31) as u8])
    })
}

fn fault(path: &Path) -> String {
    load(path).err().expect("no checkpoint").to_string()
}

#[test]
fn a_run_folder_and_both_its_checkpoints_hold_the_same_detector() {
    let (folder, _) = run_folder();
    let image = picture(80, 50, 1);
    let found = |path: &Path| load(path).expect("a checkpoint").detect(&[&image]).expect("detections");
    let whole = found(folder.path());
    assert!(whole[0].len() > 10 && whole[0].is_sorted_by(|a, b| a.score >= b.score));
    assert_eq!(found(&folder.path().join("best.safetensors")), whole);
    assert_eq!(found(&folder.path().join("last.safetensors")), whole);
    std::fs::remove_file(folder.path().join("best.safetensors")).expect("the file is there");
    assert_eq!(found(folder.path()), whole);
}

#[test]
fn what_is_no_checkpoint_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(fault(folder.path()).contains("neither best.safetensors nor last.safetensors"));
    assert!(fault(&folder.path().join("none.safetensors")).contains("No such file"));
    std::fs::write(folder.path().join("best.safetensors"), [7; 100]).expect("a writable folder");
    let message = fault(folder.path());
    assert!(
        message.contains("best.safetensors") && message.contains("not a whole safetensors file"),
        "{message}"
    );
}

#[test]
fn images_of_any_size_go_through_together_as_they_do_alone() {
    let detector = Detector::new(&tiny::session(&tiny::config(), 4).release(), Device::Cpu).expect("weights");
    let images = [picture(80, 50, 1), picture(1, 1, 2), picture(30, 400, 3)];
    let together = detector.detect(&images).expect("detections");
    for (image, together) in images.iter().zip(&together) {
        let alone = detector.detect(&[image]).expect("detections").remove(0);
        assert_eq!(alone.len(), together.len());
        let scores = |found: &[Detection]| found.iter().map(|d| d.score).collect::<Vec<_>>();
        for (a, b) in scores(&alone).iter().zip(scores(together)) {
            assert!((a - b).abs() < 1e-4, "{a} alone, {b} together");
        }
    }
    assert_eq!(detector.detect::<RgbImage>(&[]).expect("nothing").len(), 0);
    let empty = detector.detect(&[picture(4, 4, 0), RgbImage::new(0, 5)]);
    assert!(matches!(empty, Err(PredictError::EmptyImage { index: 1, width: 0, height: 5 })));
}

/// A detector loaded from disk finds on the loader what the session's own evaluation finds.
#[test]
fn the_numbers_are_those_of_the_training_run() {
    let (folder, session) = run_folder();
    let config = tiny::config();
    let loader = tiny::val_loader(&config, 8);
    let num_top_queries = config.num_top_queries;
    let postprocessor = PostProcessor::new(PostProcessorConfig { num_top_queries, ..Default::default() });
    let expected = evaluate(session.averaged(), &loader, &postprocessor, Device::Cpu).expect("statistics");
    let progress = ProgressBar::hidden();
    let found = load(folder.path()).expect("a checkpoint").collect(&loader, &progress).expect("detections");
    assert_eq!(found.finish().expect("statistics"), expected);
    assert_eq!(progress.position(), 8);
}

/// Classes in another order are matched by name; others are refused.
#[test]
fn classes_are_matched_by_name() {
    let checkpoint = tiny::session(&tiny::config(), 4).release();
    let with_classes = |change: fn(&mut Vec<String>)| {
        let mut changed = Checkpoint::new(checkpoint.meta.clone());
        change(&mut changed.meta.classes);
        changed.put(
            "",
            checkpoint.names().map(|name| (name.to_owned(), checkpoint.get(name).expect("a tensor"))),
        );
        Detector::new(&changed, Device::Cpu).expect("the same weights")
    };
    let dataset = tiny::shapes(Split::Val, 2);
    let names = dataset.class_names().to_vec();
    let how = LoaderConfig::default();
    let loader = Loader::new(dataset, Arc::new(EvalTransforms { side: tiny::SIDE }), how).expect("a loader");
    let labels = |detector: &Detector| -> Vec<i64> {
        let collected = detector.collect(&loader, &ProgressBar::hidden()).expect("detections");
        collected.detections(0).iter().map(|detection| detection.label).collect()
    };
    let (same, rotated) = (with_classes(|_| {}), with_classes(|classes| classes.rotate_left(1)));
    let of_data = |label: i64| names.iter().position(|name| *name == rotated.class_names()[label as usize]);
    let expected: Vec<_> =
        labels(&same).into_iter().map(|label| of_data(label).expect("a class") as i64).collect();
    assert_eq!(labels(&rotated), expected);
    let other = with_classes(|classes| classes[0] = "zebra".into());
    let fault = other.collect(&loader, &ProgressBar::hidden()).expect_err("another class");
    assert!(
        matches!(&fault, PredictError::Eval(EvalError::Classes { only_model, .. }) if only_model == &["zebra"])
    );
    assert!(fault.to_string().contains(&format!("only the data has `{}`", names[0])), "{fault}");
}
