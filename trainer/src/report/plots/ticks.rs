//! Axes with ticks at round numbers.

use crate::report::units;

/// A range of values with labelled ticks.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) ticks: Vec<(f64, String)>,
}

impl Axis {
    /// From 0 to a little above `highest`, with about `count` ticks.
    pub(super) fn from_zero(highest: f64, count: usize) -> Self {
        Self::from_zero_with(highest, count, decimal)
    }

    /// As `from_zero`, with ticks such as `5e-4`.
    pub(super) fn scientific(highest: f64, count: usize) -> Self {
        Self::from_zero_with(highest, count, |value, _| match value {
            0.0 => "0".to_owned(),
            _ => format!("{value:.1e}").replace(".0e", "e"),
        })
    }

    /// From 0 to 1 exactly, a tick every fifth: precision, recall.
    pub(super) fn unit() -> Self {
        let ticks = (0..=5).map(|fifth| (f64::from(fifth) / 5.0, format!("{:.1}", f64::from(fifth) / 5.0)));
        Self { low: 0.0, high: 1.0, ticks: ticks.collect() }
    }

    /// Whole numbers from `low` to `high` exactly: training steps.
    pub(super) fn steps(low: u64, high: u64) -> Self {
        let high = high.max(low + 1);
        let step = round_step((high - low) as f64 / 8.0).max(1.0) as u64;
        let ticks = (low.div_ceil(step)..=high / step).map(|i| i * step);
        let ticks = ticks.map(|value| (value as f64, units::grouped(value))).collect();
        Self { low: low as f64, high: high as f64, ticks }
    }

    /// The same range with ticks at `places`, thinned so that at most `count` remain.
    pub(super) fn with_ticks(&self, places: &[(f64, String)], count: usize) -> Self {
        let every = round_step(places.len() as f64 / count as f64).max(1.0) as usize;
        // Keep every n-th counted from 1, so that epochs show as 5, 10, 15.
        let kept = places.iter().enumerate().filter(|(i, _)| (i + 1).is_multiple_of(every));
        Self { ticks: kept.map(|(_, tick)| tick.clone()).collect(), ..self.clone() }
    }

    /// Where `value` lies, 0 at the low end and 1 at the high end; values outside are moved to the ends.
    pub(super) fn share(&self, value: f64) -> f32 {
        (((value - self.low) / (self.high - self.low)) as f32).clamp(0.0, 1.0)
    }

    fn from_zero_with(highest: f64, count: usize, label: impl Fn(f64, f64) -> String) -> Self {
        let highest = if highest.is_finite() && highest > 0.0 { highest } else { 1.0 };
        let step = tick_step(highest, count);
        // A twentieth of headroom keeps the line off the frame without adding a tick for nothing.
        let high = highest * 1.05;
        let ticks = (0..=(high / step).floor() as usize).map(|i| i as f64 * step);
        Self { low: 0.0, high, ticks: ticks.map(|value| (value, label(value, step))).collect() }
    }
}

/// The largest round step that still gives about two thirds of `count` ticks.
fn tick_step(extent: f64, count: usize) -> f64 {
    let most = extent / (0.65 * count as f64);
    let power = 10f64.powf(most.log10().floor());
    let factor = [5.0, 2.0, 1.0].into_iter().find(|factor| factor * power <= most);
    factor.unwrap_or(1.0) * power
}

/// The smallest of 1, 2, 5 times a power of ten that is not below `least`.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= least * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

fn decimal(value: f64, step: f64) -> String {
    let decimals = (-step.log10().floor()).max(0.0) as usize;
    match decimals {
        0 => units::grouped(value.round() as u64),
        _ => format!("{value:.decimals$}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, label)| label.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(labels(&Axis::from_zero(53.2, 5)), ["0", "10", "20", "30", "40", "50"]);
        assert_eq!(labels(&Axis::from_zero(0.72, 4)), ["0.0", "0.2", "0.4", "0.6"]);
        assert_eq!(labels(&Axis::from_zero(4200.0, 4)), ["0", "1,000", "2,000", "3,000", "4,000"]);
        assert_eq!(labels(&Axis::scientific(5e-4, 3)), ["0", "2e-4", "4e-4"]);
        assert_eq!(labels(&Axis::steps(0, 936)), ["0", "200", "400", "600", "800"]);
        assert_eq!(labels(&Axis::steps(0, 3)), ["0", "1", "2", "3"]);
    }

    #[test]
    fn degenerate_ranges_still_have_an_extent() {
        for highest in [0.0, f64::NAN, f64::INFINITY, -1.0] {
            let axis = Axis::from_zero(highest, 4);
            assert!(axis.high > axis.low && axis.ticks.len() > 1);
        }
        assert_eq!(Axis::steps(7, 7).share(7.0), 0.0);
    }

    #[test]
    fn many_epochs_are_thinned_to_round_ones() {
        let places: Vec<_> = (1..=72).map(|i| (f64::from(i), i.to_string())).collect();
        let axis = Axis::steps(0, 72).with_ticks(&places, 15);
        assert_eq!(labels(&axis)[..3], ["5", "10", "15"]);
    }
}
