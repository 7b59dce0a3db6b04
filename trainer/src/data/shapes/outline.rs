//! The five kinds of shapes: how far a point is from the edge, and how far the shape reaches.

use std::f32::consts::TAU;

use guard_core::no_retain;

/// A class of the rendered set; the index is its label.
#[no_retain]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A disc.
    Circle,
    /// A filled square at any angle.
    Square,
    /// A filled equilateral triangle at any angle.
    Triangle,
    /// A filled five-pointed star at any angle.
    Star,
    /// A disc with a hole that shows what is behind.
    Ring,
}

impl Kind {
    /// Every kind, in the order of the labels.
    pub const ALL: [Self; 5] = [Self::Circle, Self::Square, Self::Triangle, Self::Star, Self::Ring];

    /// The class name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Circle => "circle",
            Self::Square => "square",
            Self::Triangle => "triangle",
            Self::Star => "star",
            Self::Ring => "ring",
        }
    }

    /// Corners of a full turn, with their distance from the centre relative to the radius.
    fn corners(self) -> &'static [f32] {
        match self {
            Self::Circle | Self::Ring => &[],
            Self::Square => &[1.0; 4],
            Self::Triangle => &[1.0; 3],
            Self::Star => {
                &[1.0, STAR_WAIST, 1.0, STAR_WAIST, 1.0, STAR_WAIST, 1.0, STAR_WAIST, 1.0, STAR_WAIST]
            }
        }
    }
}

/// Inner corners of a star, a little stouter than a pentagram's (0.38) so that small stars keep their arms.
const STAR_WAIST: f32 = 0.45;
/// Width of a ring's band relative to its radius.
const RING_BAND: f32 = 0.34;

/// A shape at a place in the image, in pixels.
#[no_retain]
#[derive(Debug, Clone)]
pub(super) struct Outline {
    pub(super) kind: Kind,
    pub(super) centre: [f32; 2],
    /// Distance from the centre to the farthest point.
    pub(super) radius: f32,
    corners: Vec<[f32; 2]>,
}

impl Outline {
    /// A shape turned by `angle` radians.
    pub(super) fn new(kind: Kind, centre: [f32; 2], radius: f32, angle: f32) -> Self {
        let distances = kind.corners();
        let corner = |(place, distance): (usize, &f32)| {
            let (sine, cosine) = (angle + TAU * place as f32 / distances.len() as f32).sin_cos();
            [centre[0] + radius * distance * cosine, centre[1] + radius * distance * sine]
        };
        Self { kind, centre, radius, corners: distances.iter().enumerate().map(corner).collect() }
    }

    /// The tight box, as left, top, right, bottom.
    pub(super) fn bounds(&self) -> [f32; 4] {
        let [x, y] = self.centre;
        if self.corners.is_empty() {
            return [x - self.radius, y - self.radius, x + self.radius, y + self.radius];
        }
        self.corners
            .iter()
            .fold([f32::MAX, f32::MAX, f32::MIN, f32::MIN], |[left, top, right, bottom], [x, y]| {
                [left.min(*x), top.min(*y), right.max(*x), bottom.max(*y)]
            })
    }

    /// Distance from a point to the edge in pixels, negative inside.
    pub(super) fn distance(&self, point: [f32; 2]) -> f32 {
        let [x, y] = [point[0] - self.centre[0], point[1] - self.centre[1]];
        match self.kind {
            Kind::Circle => x.hypot(y) - self.radius,
            Kind::Ring => {
                let half_band = self.radius * RING_BAND / 2.0;
                (x.hypot(y) - (self.radius - half_band)).abs() - half_band
            }
            _ => self.polygon_distance(point),
        }
    }

    fn polygon_distance(&self, [x, y]: [f32; 2]) -> f32 {
        let (mut nearest, mut inside) = (f32::MAX, false);
        let mut from = *self.corners.last().expect("a polygon has corners");
        for &to in &self.corners {
            let edge = [to[0] - from[0], to[1] - from[1]];
            let start = [x - from[0], y - from[1]];
            let along = (start[0] * edge[0] + start[1] * edge[1]) / (edge[0] * edge[0] + edge[1] * edge[1]);
            let along = along.clamp(0.0, 1.0);
            let away = [start[0] - along * edge[0], start[1] - along * edge[1]];
            nearest = nearest.min(away[0] * away[0] + away[1] * away[1]);
            // Even-odd rule: does the edge cross the ray that goes right from the point?
            if (from[1] > y) != (to[1] > y) && start[0] < start[1] * edge[0] / edge[1] {
                inside = !inside;
            }
            from = to;
        }
        if inside { -nearest.sqrt() } else { nearest.sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The box of the points of a fine grid that lie inside.
    fn measured(outline: &Outline) -> [f32; 4] {
        let mut reach = [f32::MAX, f32::MAX, f32::MIN, f32::MIN];
        for cell in 0..1000 * 1000 {
            let [x, y] = [(cell % 1000) as f32 * 0.1, (cell / 1000) as f32 * 0.1];
            if outline.distance([x, y]) < 0.0 {
                reach = [reach[0].min(x), reach[1].min(y), reach[2].max(x), reach[3].max(y)];
            }
        }
        reach
    }

    #[test]
    fn boxes_are_tight() {
        for kind in Kind::ALL {
            for angle in [0.0, 0.3, 1.1, 2.9] {
                let outline = Outline::new(kind, [47.3, 52.1], 31.0, angle);
                let (bounds, seen) = (outline.bounds(), measured(&outline));
                for side in 0..4 {
                    let slack = if side < 2 { seen[side] - bounds[side] } else { bounds[side] - seen[side] };
                    assert!(
                        (-1e-3..0.35).contains(&slack),
                        "{kind:?} at {angle}, side {side}: {slack} pixels"
                    );
                }
            }
        }
    }

    #[test]
    fn distances_are_those_of_the_figures() {
        let at = |kind, point| Outline::new(kind, [0.0; 2], 10.0, 0.0).distance(point);
        let cases = [
            (at(Kind::Circle, [0.0, 13.0]), 3.0),
            (at(Kind::Ring, [0.0, 0.0]), 6.6),
            (at(Kind::Ring, [8.3, 0.0]), -1.7),
            (at(Kind::Square, [0.0, 0.0]), -50.0_f32.sqrt()),
            (at(Kind::Triangle, [0.0, 0.0]), -5.0),
            (at(Kind::Triangle, [-7.0, 0.0]), 2.0),
            (at(Kind::Star, [12.0, 0.0]), 2.0),
        ];
        for (actual, expected) in cases {
            assert!((actual - expected).abs() < 1e-4, "{actual} instead of {expected}");
        }
    }
}
