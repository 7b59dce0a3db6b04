//! Learning rate and decay of the average, against the official numbers.

mod support;

use serde_json::Value;
use support::golden;
use trainer::config::TrainConfig;
use trainer::train::schedule::{Decay, Schedule};
use trainer::train::{AdamWConfig, EmaConfig};

fn numbers(value: &Value) -> impl Iterator<Item = (u64, &Value)> {
    value.as_object().expect("an object").iter().map(|(key, value)| (key.parse().expect("a number"), value))
}

fn assert_close(what: &str, got: f64, want: f64) {
    assert!((got - want).abs() <= 1e-12 * want.abs(), "{what}: {got} instead of {want}");
}

#[test]
fn warm_up_is_the_official_one() {
    let fixture = golden::json("schedule.json");
    let schedule = |base_lr| Schedule {
        base_lr,
        warmup_steps: 2000,
        total_steps: 9000,
        steps_per_epoch: 100,
        decay: Decay::Constant,
    };
    for (step, used) in numbers(&fixture["warmup_lr_used_at_iteration"]) {
        for (group, base_lr) in [1e-5, 1e-4].into_iter().enumerate() {
            let want = used["lr"][group].as_f64().expect("a number");
            assert_close(&format!("step {step}"), schedule(base_lr).lr(step), want);
        }
    }
}

#[test]
fn decay_of_the_average_is_the_official_one() {
    for (update, want) in numbers(&golden::json("schedule.json")["ema_decay"]) {
        let want = want.as_f64().expect("a number");
        assert_close(&format!("update {update}"), EmaConfig::default().decay_of(update), want);
    }
}

#[test]
fn flat_cosine_is_flat_then_falls_to_a_hundredth() {
    let schedule = Schedule {
        base_lr: 2.0,
        warmup_steps: 10,
        total_steps: 1000,
        steps_per_epoch: 100,
        decay: Decay::FlatCosine,
    };
    assert_close("first step", schedule.lr(0), 0.2);
    for step in 9..=500 {
        assert_close("flat part", schedule.lr(step), 2.0);
    }
    for step in 500..1000 {
        assert!(schedule.lr(step + 1) < schedule.lr(step), "does not fall at step {step}");
    }
    assert_close("half way down", schedule.lr(750), 2.0 * (0.01 + 0.99 / 2.0));
    assert_close("end", schedule.lr(1000), 0.02);
    assert_close("beyond the end", schedule.lr(5000), 0.02);
}

#[test]
fn no_warm_up_starts_at_the_full_rate() {
    let schedule = Schedule {
        base_lr: 3.0,
        warmup_steps: 0,
        total_steps: 0,
        steps_per_epoch: 0,
        decay: Decay::Constant,
    };
    assert_close("step 0", schedule.lr(0), 3.0);
}

#[test]
fn a_run_is_as_long_as_its_epochs() {
    let optimizer = AdamWConfig { lr: 0.5, ..AdamWConfig::default() };
    let config = TrainConfig { epochs: 3, warmup_steps: 7, optimizer, ..TrainConfig::shapes() };
    let schedule = Schedule::new(&config, 11);
    assert_eq!((schedule.total_steps, schedule.warmup_steps, schedule.base_lr), (33, 7, 0.5));
}

/// Four steps an epoch and a warm-up of nine: the official scheduler moves first at the end of the third epoch.
#[test]
fn milestones_count_epochs_that_end_after_the_warm_up() {
    let decay = Decay::MultiStep { milestones: vec![1, 3], gamma: 0.1 };
    let schedule = Schedule { base_lr: 1.0, warmup_steps: 9, total_steps: 40, steps_per_epoch: 4, decay };
    let lr = |epoch: u64| schedule.lr(4 * epoch);
    assert_close("last step of the third epoch", schedule.lr(11), 1.0);
    for (epoch, want) in [(3, 0.1), (4, 0.1), (5, 0.01), (9, 0.01)] {
        assert_close(&format!("epoch {epoch}"), lr(epoch), want);
    }
}

/// A warm-up that ends with an epoch's last step is over at the end of that epoch.
#[test]
fn a_warm_up_of_whole_epochs_is_over_with_the_last() {
    let decay = Decay::MultiStep { milestones: vec![1], gamma: 0.5 };
    let schedule = Schedule { base_lr: 1.0, warmup_steps: 8, total_steps: 40, steps_per_epoch: 4, decay };
    assert_close("second epoch", schedule.lr(7), 1.0);
    assert_close("third epoch", schedule.lr(8), 0.5);
}
