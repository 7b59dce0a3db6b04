//! How much of each pixel a line covers.

use std::ops::Range;

/// The covered share of the pixels in the rectangle around a line.
pub(super) struct Coverage {
    columns: Range<u32>,
    rows: Range<u32>,
    radius: f32,
    /// Row by row, 0 to 1.
    shares: Vec<f32>,
}

impl Coverage {
    /// An empty cover for a line through `points`, cut to an image of `size`; `None` when nothing would show.
    ///
    /// `radius`: half the width of the line.
    pub(super) fn around(points: &[(f32, f32)], radius: f32, size: (u32, u32)) -> Option<Self> {
        let reach = radius + 1.0;
        let columns = extent(points.iter().map(|point| point.0), reach, size.0);
        let rows = extent(points.iter().map(|point| point.1), reach, size.1);
        if columns.is_empty() || rows.is_empty() || radius <= 0.0 {
            return None;
        }
        let shares = vec![0.0; columns.len() * rows.len()];
        Some(Self { columns, rows, radius, shares })
    }

    /// Adds a segment; where it overlaps an earlier one the larger share counts.
    pub(super) fn add_segment(&mut self, from: (f32, f32), to: (f32, f32)) {
        let reach = self.radius + 1.0;
        let rows = extent([from.1, to.1].into_iter(), reach, self.rows.end);
        let columns = extent([from.0, to.0].into_iter(), reach, self.columns.end);
        for y in rows.start.max(self.rows.start)..rows.end {
            for x in columns.start.max(self.columns.start)..columns.end {
                let distance = distance_to_segment((x as f32 + 0.5, y as f32 + 0.5), from, to);
                let share = (self.radius + 0.5 - distance).clamp(0.0, 1.0);
                let at =
                    (y - self.rows.start) as usize * self.columns.len() + (x - self.columns.start) as usize;
                self.shares[at] = self.shares[at].max(share);
            }
        }
    }

    /// Column, row and share of the pixels that are covered at all.
    pub(super) fn shares(&self) -> impl Iterator<Item = (u32, u32, f32)> {
        let width = self.columns.len();
        let covered = self.shares.iter().enumerate().filter(|(_, share)| **share > 0.0);
        covered.map(move |(i, &share)| {
            (self.columns.start + (i % width) as u32, self.rows.start + (i / width) as u32, share)
        })
    }
}

/// The pixels from the lowest value less `reach` to the highest plus `reach`, cut to `0..limit`.
fn extent(values: impl Iterator<Item = f32>, reach: f32, limit: u32) -> Range<u32> {
    let (low, high) = values.fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let clamp = |v: f32| v.clamp(0.0, limit as f32) as u32;
    clamp((low - reach).floor())..clamp((high + reach).ceil())
}

fn distance_to_segment(p: (f32, f32), a: (f32, f32), b: (f32, f32)) -> f32 {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let length_squared = dx * dx + dy * dy;
    let along = match length_squared > 0.0 {
        true => (((p.0 - a.0) * dx + (p.1 - a.1) * dy) / length_squared).clamp(0.0, 1.0),
        false => 0.0,
    };
    (p.0 - a.0 - along * dx).hypot(p.1 - a.1 - along * dy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_of_a_disc_add_up_to_its_area() {
        let centre = (10.3, 9.8);
        let mut coverage = Coverage::around(&[centre, centre], 6.0, (20, 20)).expect("inside the image");
        coverage.add_segment(centre, centre);
        let area: f32 = coverage.shares().map(|(_, _, share)| share).sum();
        assert!((area - std::f32::consts::PI * 36.0).abs() < 1.0, "{area}");
    }

    #[test]
    fn a_line_outside_or_without_points_covers_nothing() {
        assert!(Coverage::around(&[(-50.0, -50.0), (-20.0, 900.0)], 2.0, (20, 20)).is_none());
        assert!(Coverage::around(&[], 2.0, (20, 20)).is_none());
        assert!(Coverage::around(&[(5.0, 5.0)], 0.0, (20, 20)).is_none());
    }
}
