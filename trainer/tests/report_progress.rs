//! The progress lines.

use std::time::Duration;

use trainer::report::{Progress, StepStatus};

const STATUS: StepStatus = StepStatus { loss: 12.3456, lr: 5e-4, images: 8, live_bytes: 53_214_004 };

#[test]
fn a_line_is_due_every_n_steps_and_at_the_end() {
    let mut progress = Progress::plain(3, 10);
    progress.start_epoch(0, 25);
    let due: Vec<u64> =
        (1..=25).filter(|_| progress.advance(&STATUS, Duration::from_millis(250)).is_some()).collect();
    assert_eq!(due, [10, 20, 25]);
}

#[test]
fn a_line_tells_place_loss_speed_memory_and_time_left() {
    let mut progress = Progress::plain(12, 2);
    progress.start_epoch(1, 100);
    assert_eq!(progress.advance(&STATUS, Duration::from_millis(250)), None);
    let line = progress.advance(&STATUS, Duration::from_millis(250)).expect("the second step");
    // 98 steps of this epoch and 10 epochs of 100 steps, 0.25 s each.
    assert_eq!(
        line,
        "epoch  2/12  step   2/100  loss 12.346  lr 5.0e-4  32.0 images/s  live 53.2 MB  eta 4 min 35 s"
    );
    assert!((progress.images_per_second() - 32.0).abs() < 1e-9);
}

#[test]
fn without_an_interval_only_the_last_step_is_told() {
    let mut progress = Progress::plain(1, 0);
    progress.start_epoch(0, 3);
    let lines: Vec<bool> =
        (0..3).map(|_| progress.advance(&STATUS, Duration::from_secs(1)).is_some()).collect();
    assert_eq!(lines, [false, false, true]);
}

#[test]
fn a_new_epoch_counts_its_steps_from_one() {
    let mut progress = Progress::plain(2, 1);
    progress.start_epoch(0, 4);
    (0..4).for_each(|_| drop(progress.advance(&STATUS, Duration::from_secs(1))));
    progress.finish_epoch("AP 0.500");
    progress.start_epoch(1, 4);
    let line = progress.advance(&STATUS, Duration::from_secs(1)).expect("every step");
    assert!(line.starts_with("epoch 2/2  step 1/4  ") && line.ends_with("eta 3.0 s"), "{line}");
}

#[test]
fn a_resumed_epoch_counts_on() {
    let mut progress = Progress::plain(1, 1);
    progress.start_epoch(0, 4);
    progress.skip(2);
    let line = progress.advance(&STATUS, Duration::from_secs(1)).expect("every step");
    assert!(line.starts_with("epoch 1/1  step 3/4  ") && line.ends_with("eta 1.0 s"), "{line}");
}
