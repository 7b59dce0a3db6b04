//! Predicting leaves nothing behind: tensor bytes are equal to the byte, however many images go through.
//!
//! One test in this file: it reads the counters of the whole process.

mod support;

use guard_core::memory;
use image::{Rgb, RgbImage};
use support::tiny;
use tch::Device;
use trainer::predict::Detector;

const IMAGES: u32 = 200;

#[test]
fn live_bytes_are_flat_over_two_hundred_images() {
    memory::install();
    let checkpoint = tiny::session(&tiny::config(), 4).release();
    let detector = Detector::new(&checkpoint, Device::Cpu).expect("a checkpoint of this model");
    let mut left = Vec::new();
    for number in 0..IMAGES {
        let size = (20 + number % 50, 90 - number % 40);
        let image =
            RgbImage::from_fn(size.0, size.1, |x, y| Rgb([(x * 3) as u8, (y * 3) as u8, number as u8]));
        memory::reset_peak();
        let found = detector.detect(&[image]).expect("detections");
        assert!(!found[0].is_empty() && memory::peak_bytes() > memory::live_bytes(), "nothing was computed");
        left.push((memory::live_bytes(), memory::live_storages()));
    }
    let (first, last) = (left[0], left[left.len() - 1]);
    println!("live tensor bytes after the first and the last of {IMAGES} images: {} and {}", first.0, last.0);
    assert!(left.iter().all(|&state| state == first), "{left:?}");
}
