//! What is said of repeated measurements.

use serde_json::{Value, json};

/// Number, median, fastest, mean and ninth tenth of seconds.
pub fn summary(seconds: &[f64]) -> Value {
    let sorted = sorted(seconds);
    let count = sorted.len();
    json!({
        "n": count,
        "median": median(seconds),
        "min": sorted[0],
        "mean": sorted.iter().sum::<f64>() / count as f64,
        "p90": sorted[(count - 1) * 9 / 10],
    })
}

/// The middle of an odd number of values, the mean of the two middle ones otherwise.
///
/// # Panics
/// Without a value.
pub fn median(values: &[f64]) -> f64 {
    let sorted = sorted(values);
    let count = sorted.len();
    (sorted[(count - 1) / 2] + sorted[count / 2]) / 2.0
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_odd_and_even_counts() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        let ten: Vec<f64> = (1..=11).rev().map(f64::from).collect();
        assert_eq!(summary(&ten), json!({"n": 11, "median": 6.0, "min": 1.0, "mean": 6.0, "p90": 10.0}));
    }
}
