//! Boxes as files state them, cut to their image.

use super::repairs::Repair;

/// The edges of a box in the order of `xyxy`, as messages name them.
pub(super) const EDGES: [&str; 4] = ["left", "top", "right", "bottom"];

/// What became of a box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fit {
    /// The box within the image; `None` when nothing of it is left.
    pub(super) kept: Option<[f32; 4]>,
    /// What was done to it, and the first edge that shows why.
    pub(super) repair: Option<(Repair, usize)>,
}

/// Cuts a finite box to an image of `size` (width, height).
pub(super) fn fit(xyxy: [f64; 4], size: [u32; 2]) -> Fit {
    let dropped = |repair, edge| Fit { kept: None, repair: Some((repair, edge)) };
    if let Some(edge) = without_extent(xyxy) {
        return dropped(Repair::NoArea, edge);
    }
    let limits = [size[0], size[1], size[0], size[1]].map(f64::from);
    let mut cut = xyxy;
    for (edge, limit) in cut.iter_mut().zip(limits) {
        *edge = edge.clamp(0.0, limit);
    }
    // A sliver may vanish only when it is rounded, so the rounded box decides.
    let narrow = cut.map(|edge| edge as f32);
    match (without_extent(narrow.map(f64::from)), (0..4).find(|&side| cut[side] != xyxy[side])) {
        (Some(edge), Some(_)) => dropped(Repair::Outside, edge),
        (Some(edge), None) => dropped(Repair::NoArea, edge),
        (None, side) => Fit { kept: Some(narrow), repair: side.map(|side| (Repair::Clipped, side)) },
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
    fn tells_the_four_ends_of_a_box() {
        let fit = |xyxy| fit(xyxy, [64, 48]);
        let dropped = |repair, edge| Fit { kept: None, repair: Some((repair, edge)) };
        let whole = [0.0, 0.0, 64.0, 48.0];
        assert_eq!(fit(whole), Fit { kept: Some([0.0, 0.0, 64.0, 48.0]), repair: None });
        let clipped = Fit { kept: Some([1.0, 0.0, 9.0, 48.0]), repair: Some((Repair::Clipped, 1)) };
        assert_eq!(fit([1.0, -2.0, 9.0, 99.0]), clipped);
        assert_eq!(fit([9.0, 1.0, 9.0, 5.0]), dropped(Repair::NoArea, 2));
        assert_eq!(fit([1.0, 9.0, 9.0, 5.0]), dropped(Repair::NoArea, 3));
        assert_eq!(fit([3.0, 60.0, 9.0, 70.0]), dropped(Repair::Outside, 3));
        assert_eq!(fit([-9.0, 1.0, 0.0, 5.0]), dropped(Repair::Outside, 2));
    }

    #[test]
    fn a_sliver_that_rounding_closes_has_no_area() {
        let fit = |xyxy| fit(xyxy, [64, 48]).repair;
        assert_eq!(fit([50.0, 1.0, 50.0 + 1e-9, 5.0]), Some((Repair::NoArea, 2)));
        assert_eq!(fit([1e300, 1.0, 1e301, 5.0]), Some((Repair::Outside, 2)));
    }
}
