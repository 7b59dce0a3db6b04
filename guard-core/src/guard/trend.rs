//! Telling a leak from a warm-up.
//!
//! A leak lifts the floor: the lowest reading of each quarter of the window lies above that of the quarter before, by
//! about the same amount each time. A buffer allocated once lifts it once, and noise above the floor does not count.

use super::report::{Warning, Watched};
use guard_macros::no_retain;
use std::collections::VecDeque;

const QUARTERS: usize = 4;

/// Each quarter must grow by at least this share of the mean growth, or the growth counts as a one-off.
const EVENNESS: f64 = 0.5;

/// The quantities a guard follows.
#[no_retain]
#[derive(Debug)]
pub(super) struct Trends {
    tensors: Trend,
    heap: Trend,
    nodes: Trend,
    last_step: u64,
}

impl Trends {
    pub(super) fn new(window: usize) -> Self {
        Self {
            // The count is exact in a loop, so a single byte per step is a finding.
            tensors: Trend::new(Watched::TensorBytes, window, 1.0),
            // The heap is not: metrics, logs and caches grow by some bytes, the graph of one step by kilobytes.
            heap: Trend::new(Watched::HeapBytes, window, 512.0),
            nodes: Trend::new(Watched::LossNodes, window, 0.5),
            last_step: 0,
        }
    }

    /// Adds one reading of each and returns the step it counts for.
    pub(super) fn record(&mut self, steps: u64, tensors: u64, heap: Option<u64>, nodes: u64) -> u64 {
        self.last_step = steps.max(self.last_step + 1);
        self.tensors.push(self.last_step, tensors);
        self.nodes.push(self.last_step, nodes);
        if let Some(heap) = heap {
            self.heap.push(self.last_step, heap);
        }
        self.last_step
    }

    pub(super) fn growing(&self) -> impl Iterator<Item = Warning> {
        [&self.tensors, &self.heap, &self.nodes].into_iter().filter_map(Trend::growing)
    }
}

/// The readings of one quantity over the last `window` checks, as (step, value).
#[no_retain]
#[derive(Debug)]
struct Trend {
    what: Watched,
    readings: VecDeque<(u64, u64)>,
    quarter: usize,
    least_per_step: f64,
}

impl Trend {
    fn new(what: Watched, window: usize, least_per_step: f64) -> Self {
        let quarter = (window / QUARTERS).max(2);
        Self { what, readings: VecDeque::with_capacity(quarter * QUARTERS), quarter, least_per_step }
    }

    fn push(&mut self, step: u64, value: u64) {
        if self.readings.len() == self.quarter * QUARTERS {
            self.readings.pop_front();
        }
        self.readings.push_back((step, value));
    }

    /// The growth, once the window is full and all of it grows.
    fn growing(&self) -> Option<Warning> {
        let floors = self.floors()?;
        let rises: Vec<f64> = floors.windows(2).map(|pair| pair[1].1 - pair[0].1).collect();
        let rise = rises.iter().sum::<f64>();
        let even = rise / rises.len() as f64 * EVENNESS;
        let per_step = rise / (floors.last()?.0 - floors.first()?.0);
        let steady = rises.iter().all(|r| *r > 0.0 && *r >= even);
        let steps = self.readings.back()?.0 - self.readings.front()?.0;
        (steady && per_step >= self.least_per_step).then_some(Warning::LeakSuspected {
            what: self.what,
            per_step,
            steps,
        })
    }

    /// The first step of each quarter and the lowest value in it.
    fn floors(&self) -> Option<Vec<(f64, f64)>> {
        let readings: Vec<_> = self.readings.iter().copied().collect();
        if readings.len() < self.quarter * QUARTERS {
            return None;
        }
        let floor = |quarter: &[(u64, u64)]| {
            let lowest = quarter.iter().map(|reading| reading.1).min().expect("a quarter has readings");
            (quarter[0].0 as f64, lowest as f64)
        };
        Some(readings.chunks(self.quarter).map(floor).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn growth(values: impl Iterator<Item = u64>) -> Option<f64> {
        let mut trend = Trend::new(Watched::TensorBytes, 16, 1.0);
        for (step, value) in (1..).zip(values) {
            trend.push(step, value);
        }
        trend.growing().map(|warning| match warning {
            Warning::LeakSuspected { per_step, .. } => per_step,
            Warning::OverLimit { .. } => unreachable!("a trend knows no limit"),
        })
    }

    #[test]
    fn a_steady_leak_is_found_at_its_rate() {
        assert_eq!(growth((0..16).map(|step| 1000 + 4 * step)), Some(4.0));
    }

    #[test]
    fn a_leak_is_found_under_noise() {
        let noisy = (0..16).map(|step| 1000 + 400 * step + [0, 900, 50, 30][step as usize % 4]);
        assert_eq!(growth(noisy), Some(400.0));
    }

    #[test]
    fn flat_readings_are_no_leak() {
        assert_eq!(growth((0..16).map(|_| 1000)), None);
        assert_eq!(growth((0..16).map(|step| 1000 + step % 5)), None);
    }

    #[test]
    fn a_buffer_allocated_once_is_no_leak() {
        assert_eq!(growth((0..16).map(|step| if step < 6 { 1000 } else { 9000 })), None);
        assert_eq!(growth((0..16).map(|step| 1000 + 500 * (step / 6))), None);
    }

    #[test]
    fn shrinking_is_no_leak() {
        assert_eq!(growth((0..16).map(|step| 1000 - step)), None);
    }

    #[test]
    fn a_window_that_is_not_full_says_nothing() {
        assert_eq!(growth((0..15).map(|step| 1000 + 4 * step)), None);
    }

    #[test]
    fn the_rate_counts_steps_between_checks() {
        let mut trends = Trends::new(8);
        for check in 1..=8 {
            trends.record(check * 10, 100 * check, None, 0);
        }
        let expected = Warning::LeakSuspected { what: Watched::TensorBytes, per_step: 10.0, steps: 70 };
        assert_eq!(trends.growing().collect::<Vec<_>>(), [expected]);
    }
}
