//! Curves with less noise and fewer points.

/// Replaces each point by the value there of a straight line fitted to the `window` points around it.
///
/// In the middle this is the running mean; at the ends, where the window is lopsided, the line follows the slope
/// instead of lagging behind it. Points that are not finite are left out. At most about `limit` points remain,
/// evenly picked, the last one always among them.
pub(super) fn smoothed(points: &[(f64, f64)], window: usize, limit: usize) -> Vec<(f64, f64)> {
    let points: Vec<_> = points.iter().copied().filter(|(_, y)| y.is_finite()).collect();
    let half = window / 2;
    let around = |i: usize| &points[i.saturating_sub(half)..(i + half + 1).min(points.len())];
    // Counted from the end, so that the last point is kept.
    let every = points.len().div_ceil(limit).max(1);
    let mut kept: Vec<usize> = (0..points.len()).rev().step_by(every).collect();
    kept.reverse();
    kept.into_iter().map(|i| (points[i].0, fitted_line(around(i), points[i].0))).collect()
}

/// The least-squares line through `points` at `x`.
fn fitted_line(points: &[(f64, f64)], x: f64) -> f64 {
    let count = points.len() as f64;
    let mean_x = points.iter().map(|p| p.0).sum::<f64>() / count;
    let mean_y = points.iter().map(|p| p.1).sum::<f64>() / count;
    let spread: f64 = points.iter().map(|p| (p.0 - mean_x).powi(2)).sum();
    let slope = points.iter().map(|p| (p.0 - mean_x) * (p.1 - mean_y)).sum::<f64>() / spread;
    // One point alone has no slope.
    if spread > 0.0 { mean_y + slope * (x - mean_x) } else { mean_y }
}

/// At most about `limit` points that keep the lowest and the highest of every stretch, and the last point.
pub(super) fn thinned(points: &[(f64, f64)], limit: usize) -> Vec<(f64, f64)> {
    if points.len() <= limit {
        return points.to_vec();
    }
    let stretch = (2 * points.len()).div_ceil(limit);
    let mut kept: Vec<_> = points.chunks(stretch).flat_map(extremes).collect();
    let last = points[points.len() - 1];
    if last.1.is_finite() && kept.last() != Some(&last) {
        kept.push(last);
    }
    kept
}

fn extremes(stretch: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let finite = || stretch.iter().copied().filter(|(_, y)| y.is_finite());
    let low = finite().min_by(|a, b| a.1.total_cmp(&b.1));
    let high = finite().max_by(|a, b| a.1.total_cmp(&b.1));
    let mut pair: Vec<_> = low.into_iter().chain(high).collect();
    pair.sort_by(|a, b| a.0.total_cmp(&b.0));
    pair
}

/// The value below which `share` of the finite values lie; `None` when there are none.
pub(super) fn quantile(values: impl Iterator<Item = f64>, share: f64) -> Option<f64> {
    let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    Some(values[(last as f64 * share).round() as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(values: &[f64]) -> Vec<(f64, f64)> {
        values.iter().enumerate().map(|(i, &y)| (i as f64, y)).collect()
    }

    #[test]
    fn a_straight_line_stays() {
        let line = points(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        for (smooth, exact) in smoothed(&line, 5, 100).iter().zip(&line) {
            assert!((smooth.1 - exact.1).abs() < 1e-9);
        }
    }

    #[test]
    fn smoothing_skips_what_is_not_finite() {
        let smooth = smoothed(&points(&[1.0, f64::NAN, 5.0, 7.0]), 3, 100);
        let xs: Vec<f64> = smooth.iter().map(|point| point.0).collect();
        assert_eq!(xs, [0.0, 2.0, 3.0]);
        assert!(smooth.iter().all(|point| point.1.is_finite()));
    }

    #[test]
    fn in_the_middle_it_is_the_mean() {
        assert_eq!(smoothed(&points(&[0.0, 3.0, 0.0]), 3, 100)[1], (1.0, 1.0));
        assert_eq!(smoothed(&points(&[7.0]), 5, 100), [(0.0, 7.0)]);
    }

    #[test]
    fn few_points_are_kept_of_many() {
        let smooth = smoothed(&points(&vec![1.0; 1001]), 9, 100);
        assert!(smooth.len() <= 100);
        assert_eq!(smooth.last(), Some(&(1000.0, 1.0)));
    }

    #[test]
    fn thinning_keeps_the_spike() {
        let mut values = vec![0.0; 10_000];
        values[7_777] = 9.0;
        let thin = thinned(&points(&values), 200);
        assert!(thin.len() <= 201);
        assert!(thin.contains(&(7_777.0, 9.0)));
        assert_eq!(thin.last(), Some(&(9_999.0, 0.0)));
    }

    #[test]
    fn quantiles_ignore_nan() {
        assert_eq!(quantile([3.0, f64::NAN, 1.0, 2.0].into_iter(), 0.5), Some(2.0));
        assert_eq!(quantile(std::iter::empty(), 0.5), None);
    }
}
