//! Boxes as files state them, cut to their image.

/// The edges of a box in the order of `xyxy`, as messages name them.
pub(super) const EDGES: [&str; 4] = ["left", "top", "right", "bottom"];

/// What became of a box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Fit {
    /// It lies in the image.
    Inside([f32; 4]),
    /// It was cut; the second value is the first edge that moved.
    Clipped([f32; 4], usize),
    /// It has no area as it stands: nothing to learn from. The value is the edge that says so.
    NoArea(usize),
    /// No part of it lies in the image. The value is the edge that says so.
    Outside(usize),
}

/// Cuts a finite box to an image of `size` (width, height).
pub(super) fn fit(xyxy: [f64; 4], size: [u32; 2]) -> Fit {
    if let Some(edge) = without_extent(xyxy) {
        return Fit::NoArea(edge);
    }
    let limits = [size[0], size[1], size[0], size[1]].map(f64::from);
    let mut cut = xyxy;
    for (edge, limit) in cut.iter_mut().zip(limits) {
        *edge = edge.clamp(0.0, limit);
    }
    // A sliver may vanish only when it is rounded, so the rounded box decides.
    let narrow = cut.map(|edge| edge as f32);
    match (without_extent(narrow.map(f64::from)), (0..4).find(|&side| cut[side] != xyxy[side])) {
        (Some(edge), Some(_)) => Fit::Outside(edge),
        (Some(edge), None) => Fit::NoArea(edge),
        (None, Some(side)) => Fit::Clipped(narrow, side),
        (None, None) => Fit::Inside(narrow),
    }
}

/// The edge that leaves a box without area.
fn without_extent(xyxy: [f64; 4]) -> Option<usize> {
    [2, 3].into_iter().find(|&edge| xyxy[edge] <= xyxy[edge - 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_the_five_ends_of_a_box() {
        let fit = |xyxy| fit(xyxy, [64, 48]);
        assert_eq!(fit([0.0, 0.0, 64.0, 48.0]), Fit::Inside([0.0, 0.0, 64.0, 48.0]));
        assert_eq!(fit([1.0, -2.0, 9.0, 99.0]), Fit::Clipped([1.0, 0.0, 9.0, 48.0], 1));
        assert_eq!(fit([9.0, 1.0, 9.0, 5.0]), Fit::NoArea(2));
        assert_eq!(fit([1.0, 9.0, 9.0, 5.0]), Fit::NoArea(3));
        assert_eq!(fit([3.0, 60.0, 9.0, 70.0]), Fit::Outside(3));
        assert_eq!(fit([-9.0, 1.0, 0.0, 5.0]), Fit::Outside(2));
    }

    #[test]
    fn a_sliver_that_rounding_closes_has_no_area() {
        assert_eq!(fit([50.0, 1.0, 50.0 + 1e-9, 5.0], [64, 48]), Fit::NoArea(2));
        assert_eq!(fit([1e300, 1.0, 1e301, 5.0], [64, 48]), Fit::Outside(2));
    }
}
