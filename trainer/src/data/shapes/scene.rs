//! A scene: which shapes stand where, and the picture of them.

use std::f32::consts::TAU;

use image::RgbImage;
use rand::RngExt;
use rand_pcg::Pcg64;

use super::backdrop;
use super::canvas::{Canvas, coverage, smooth_step};
use super::outline::{Kind, Outline};
use super::palette::{Colour, difference, mix, vivid};

/// Shapes of a scene, back to front, with the generator that paints them.
pub(super) struct Scene {
    side: u32,
    outlines: Vec<Outline>,
    rng: Pcg64,
}

const MOST_SHAPES: usize = 6;
/// Size of a shape across, relative to the side of the image: 22 to 79 pixels at 128.
const SIZES: std::ops::Range<f32> = 0.17..0.62;
/// Least part of a shape that the shapes in front leave visible.
const LEAST_VISIBLE: f32 = 0.7;
/// Places tried for a shape before the scene goes without it.
const TRIALS: usize = 12;
/// Points across of the grid on which visibility is measured.
const GRID: usize = 12;
/// Least difference between a shape and what is behind its centre, in levels.
const LEAST_CONTRAST: f32 = 80.0;

impl Scene {
    /// Places one to six shapes.
    pub(super) fn draw(side: u32, mut rng: Pcg64) -> Self {
        let wanted = rng.random_range(1..=MOST_SHAPES);
        let mut outlines = Vec::with_capacity(wanted);
        for _ in 0..wanted {
            let places = std::iter::repeat_with(|| place_shape(side as f32, &mut rng)).take(TRIALS);
            let fitting = places.into_iter().find(|outline| leaves_visible(&outlines, outline));
            outlines.extend(fitting);
        }
        Self { side, outlines, rng }
    }

    /// Labels and tight boxes, back to front.
    pub(super) fn objects(&self) -> (Vec<i64>, Vec<[f32; 4]>) {
        self.outlines.iter().map(|outline| (outline.kind as i64, outline.bounds())).unzip()
    }

    /// The picture.
    pub(super) fn render(mut self) -> RgbImage {
        let rng = &mut self.rng;
        let side = self.side as f32;
        let mut canvas = backdrop::gradient(self.side, rng);
        backdrop::clutter(&mut canvas, side, rng);
        let shadow = Shadow::draw(side, rng);
        for outline in &self.outlines {
            shadow.cast(&mut canvas, outline);
            paint(&mut canvas, outline, rng);
        }
        for _ in 0..rng.random_range(0..=2) {
            backdrop::line(&mut canvas, side, rng);
        }
        let noise = rng.random_range(1.5..8.0);
        canvas.develop(noise, rng)
    }
}

/// A shape wholly inside the image; sizes are even on a logarithmic scale.
fn place_shape(side: f32, rng: &mut Pcg64) -> Outline {
    let kind = Kind::ALL[rng.random_range(0..Kind::ALL.len())];
    let size = SIZES.start * (SIZES.end / SIZES.start).powf(rng.random());
    let (radius, angle) = (side * size / 2.0, rng.random_range(0.0..TAU));
    let at_origin = Outline::new(kind, [0.0; 2], radius, angle);
    let [left, top, right, bottom] = at_origin.bounds();
    let x = rng.random_range(-left..side - right);
    let y = rng.random_range(-top..side - bottom);
    Outline::new(kind, [x, y], radius, angle)
}

/// Whether every shape stays visible enough with `next` in front of them.
fn leaves_visible(outlines: &[Outline], next: &Outline) -> bool {
    let hides = |point, from: usize| {
        next.distance(point) < 0.0 || outlines[from..].iter().any(|outline| outline.distance(point) < 0.0)
    };
    outlines.iter().enumerate().all(|(place, outline)| {
        let inside: Vec<_> = grid(outline.bounds()).filter(|point| outline.distance(*point) < 0.0).collect();
        let visible = inside.iter().filter(|point| !hides(**point, place + 1)).count();
        visible as f32 >= LEAST_VISIBLE * inside.len() as f32
    })
}

fn grid([left, top, right, bottom]: [f32; 4]) -> impl Iterator<Item = [f32; 2]> {
    let at = move |step: usize, from: f32, to: f32| from + (to - from) * (step as f32 + 0.5) / GRID as f32;
    (0..GRID * GRID).map(move |cell| [at(cell % GRID, left, right), at(cell / GRID, top, bottom)])
}

/// Fills a shape with a soft sheen and, at times, a rim inside its edge.
fn paint(canvas: &mut Canvas, outline: &Outline, rng: &mut Pcg64) {
    let fill = contrasting(canvas.at(outline.centre), rng);
    let shade = mix(fill, if rng.random() { [255.0; 3] } else { [0.0; 3] }, rng.random_range(0.0..0.35));
    let (sine, cosine) = rng.random_range(0.0..TAU).sin_cos();
    let rim =
        rng.random_bool(0.3).then(|| (contrasting(fill, rng), outline.radius * rng.random_range(0.06..0.16)));
    let [x0, y0] = outline.centre;
    canvas.cover(outline.bounds(), |point| {
        let distance = outline.distance(point);
        let along = ((point[0] - x0) * cosine + (point[1] - y0) * sine) / outline.radius;
        let inner = mix(fill, shade, along * 0.5 + 0.5);
        let colour = match rim {
            Some((colour, width)) => mix(inner, colour, coverage(-distance - width.max(0.8))),
            None => inner,
        };
        (colour, coverage(distance))
    });
}

/// A colour that stands out from another.
fn contrasting(other: Colour, rng: &mut Pcg64) -> Colour {
    let mut best = vivid(rng);
    for _ in 0..TRIALS {
        if difference(best, other) >= LEAST_CONTRAST {
            break;
        }
        let next = vivid(rng);
        if difference(next, other) > difference(best, other) {
            best = next;
        }
    }
    best
}

/// One light for the whole scene: a soft shadow beside each shape, or none.
struct Shadow {
    offset: [f32; 2],
    blur: f32,
    opacity: f32,
}

impl Shadow {
    fn draw(side: f32, rng: &mut Pcg64) -> Self {
        let (sine, cosine) = rng.random_range(0.0..TAU).sin_cos();
        let length = side / 128.0 * rng.random_range(0.5..2.5);
        let opacity = if rng.random_bool(0.6) { rng.random_range(0.15..0.45) } else { 0.0 };
        Self { offset: [length * cosine, length * sine], blur: side / 128.0 * 2.5, opacity }
    }

    fn cast(&self, canvas: &mut Canvas, outline: &Outline) {
        if self.opacity == 0.0 {
            return;
        }
        let [left, top, right, bottom] = outline.bounds();
        let [x, y] = self.offset;
        let bounds =
            [left + x - self.blur, top + y - self.blur, right + x + self.blur, bottom + y + self.blur];
        canvas.cover(bounds, |point| {
            let distance = outline.distance([point[0] - x, point[1] - y]);
            ([0.0; 3], self.opacity * (1.0 - smooth_step(-self.blur, self.blur, distance)))
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::data::seed::{Use, generator};

    use super::*;

    /// For each shape, how many of its pixels no shape in front covers, and how many it has.
    fn visible_pixels(scene: &Scene) -> Vec<(usize, usize)> {
        let mut counts = vec![(0, 0); scene.outlines.len()];
        for pixel in 0..scene.side * scene.side {
            let point = [(pixel % scene.side) as f32 + 0.5, (pixel / scene.side) as f32 + 0.5];
            let holds = |outline: &Outline| outline.distance(point) < 0.0;
            let front = scene.outlines.iter().rposition(holds);
            for (place, outline) in scene.outlines.iter().enumerate() {
                counts[place].0 += usize::from(front == Some(place));
                counts[place].1 += usize::from(holds(outline));
            }
        }
        counts
    }

    #[test]
    fn no_shape_is_mostly_hidden_but_many_overlap() {
        let mut overlapped = 0;
        for index in 0..60 {
            let scene = Scene::draw(128, generator(Use::ShapesVal, 0, 0, index));
            for (visible, all) in visible_pixels(&scene) {
                let part = visible as f32 / all as f32;
                assert!(part > 0.4, "scene {index}: {part} of a shape is visible");
                overlapped += usize::from(visible < all);
            }
        }
        assert!(overlapped > 15, "{overlapped} shapes are partly covered");
    }
}
