//! How fast a run goes and how long it still takes.

use std::time::Duration;

use guard_core::no_retain;

/// Weight of the newest step in the running means: about the last 20 steps count.
const NEWEST: f64 = 0.05;

/// Running means of the time of a step and of an evaluation.
#[no_retain]
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pace {
    step_seconds: RunningMean,
    step_images: RunningMean,
    evaluation_seconds: RunningMean,
}

impl Pace {
    /// Counts a training step that took `time` for `images` images.
    pub fn step(&mut self, time: Duration, images: usize) {
        self.step_seconds.push(time.as_secs_f64());
        self.step_images.push(images as f64);
    }

    /// Counts the rest of an epoch: evaluation, checkpoint, pictures.
    pub fn evaluation(&mut self, time: Duration) {
        self.evaluation_seconds.push(time.as_secs_f64());
    }

    /// Images per second over the last steps; 0 before the first.
    pub fn images_per_second(&self) -> f64 {
        match self.step_seconds.get() {
            seconds if seconds > 0.0 => self.step_images.get() / seconds,
            _ => 0.0,
        }
    }

    /// The time that `steps` training steps and `evaluations` evaluations will take; `None` before the first step.
    ///
    /// Until the first evaluation is over, evaluations count as nothing.
    pub fn remaining(&self, steps: u64, evaluations: u64) -> Option<Duration> {
        let seconds =
            self.step_seconds.get() * steps as f64 + self.evaluation_seconds.get() * evaluations as f64;
        (self.step_seconds.weight > 0.0)
            .then(|| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
    }
}

/// An exponential mean that divides by the weight seen so far, so that the first values are not pulled to 0.
#[no_retain]
#[derive(Debug, Clone, Default, PartialEq)]
struct RunningMean {
    sum: f64,
    weight: f64,
}

impl RunningMean {
    fn push(&mut self, value: f64) {
        self.sum += NEWEST * (value - self.sum);
        self.weight += NEWEST * (1.0 - self.weight);
    }

    fn get(&self) -> f64 {
        if self.weight > 0.0 { self.sum / self.weight } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_pace_is_exact_from_the_first_step() {
        let mut pace = Pace::default();
        assert_eq!(pace.remaining(10, 1), None);
        assert_eq!(pace.images_per_second(), 0.0);
        for _ in 0..3 {
            pace.step(Duration::from_millis(250), 8);
        }
        assert!((pace.images_per_second() - 32.0).abs() < 1e-9);
        let left = pace.remaining(100, 3).expect("steps were counted");
        assert!((left.as_secs_f64() - 25.0).abs() < 1e-6);
    }

    #[test]
    fn evaluations_count_once_one_was_seen() {
        let mut pace = Pace::default();
        pace.step(Duration::from_secs(1), 4);
        pace.evaluation(Duration::from_secs(20));
        let left = pace.remaining(10, 2).expect("steps were counted");
        assert!((left.as_secs_f64() - 50.0).abs() < 1e-6);
    }

    #[test]
    fn a_change_of_speed_shows_within_some_tens_of_steps() {
        let mut pace = Pace::default();
        (0..100).for_each(|_| pace.step(Duration::from_secs(1), 4));
        (0..60).for_each(|_| pace.step(Duration::from_secs(2), 4));
        let speed = pace.images_per_second();
        assert!((2.0..2.1).contains(&speed), "{speed}");
    }
}
