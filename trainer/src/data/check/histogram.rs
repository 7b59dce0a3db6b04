//! Counts in fixed ranges.

use guard_core::no_retain;
use serde::Serialize;

/// How many values lie in each range.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Histogram {
    /// What is counted, with its unit.
    pub title: &'static str,
    /// Where the second and every later range starts; the first starts at 0, the last is open.
    pub starts: &'static [f64],
    /// Values in each range: one more than `starts`.
    pub counts: Vec<usize>,
}

impl Histogram {
    /// An empty histogram.
    pub(super) fn new(title: &'static str, starts: &'static [f64]) -> Self {
        Self { title, starts, counts: vec![0; starts.len() + 1] }
    }

    pub(super) fn count(&mut self, value: f64) {
        self.counts[self.starts.partition_point(|&start| start <= value)] += 1;
    }

    /// The ranges that hold something, with those between them: name and count.
    pub fn rows(&self) -> Vec<(String, usize)> {
        let filled = |&range: &usize| self.counts[range] > 0;
        let first = (0..self.counts.len()).find(filled).unwrap_or(0);
        let end = (0..self.counts.len()).rev().find(filled).map_or(0, |last| last + 1);
        (first..end).map(|range| (self.range_name(range), self.counts[range])).collect()
    }

    fn range_name(&self, range: usize) -> String {
        match (range.checked_sub(1).map(|before| self.starts[before]), self.starts.get(range)) {
            (None, Some(end)) => format!("below {end}"),
            (Some(start), Some(end)) => format!("{start} to {end}"),
            (Some(start), None) => format!("{start} and more"),
            (None, None) => "all".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_holds_its_start_and_not_its_end() {
        let mut histogram = Histogram::new("side", &[32.0, 64.0, 96.0]);
        [31.9, 64.0, 95.0, 96.0].into_iter().for_each(|value| histogram.count(value));
        assert_eq!(histogram.counts, [1, 0, 2, 1]);
        let names: Vec<String> = histogram.rows().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["below 32", "32 to 64", "64 to 96", "96 and more"]);
        histogram.counts = vec![0, 5, 0, 0];
        assert_eq!(histogram.rows(), [("32 to 64".to_owned(), 5)]);
    }
}
