//! What is behind the shapes (and, a little, in front): gradient, uneven light, blobs, lines and arcs.

use std::f32::consts::{PI, TAU};

use rand::RngExt;
use rand_pcg::Pcg64;

use super::canvas::{Canvas, coverage, smooth_step};
use super::palette::{Colour, mix, subdued, vivid};

/// Cells across of the grid that the uneven light is interpolated from.
const LIGHT_CELLS: usize = 6;
const LIGHT_NODES: usize = (LIGHT_CELLS + 1) * (LIGHT_CELLS + 1);

/// A gradient between two colours with blotches of light.
pub(super) fn gradient(side: u32, rng: &mut Pcg64) -> Canvas {
    let (from, to) = (subdued(rng), subdued(rng));
    let (sine, cosine) = rng.random_range(0.0..TAU).sin_cos();
    let strength = rng.random_range(4.0..26.0);
    let light: [f32; LIGHT_NODES] = std::array::from_fn(|_| rng.random_range(-strength..strength));
    let scale = 1.0 / side as f32;
    Canvas::paint(side, |[x, y]| {
        let (across, down) = (x * scale, y * scale);
        let part = 0.5 + ((across - 0.5) * cosine + (down - 0.5) * sine) * 0.85;
        let glow = light_at(&light, across, down);
        mix(from, to, part.clamp(0.0, 1.0)).map(|level| level + glow)
    })
}

/// The light at a place given in parts of the side, interpolated smoothly.
fn light_at(light: &[f32; LIGHT_NODES], across: f32, down: f32) -> f32 {
    let cell = |part: f32| {
        let place = (part * LIGHT_CELLS as f32).clamp(0.0, LIGHT_CELLS as f32 - 1e-3);
        (place as usize, smooth_step(0.0, 1.0, place.fract()))
    };
    let ((column, right), (row, below)) = (cell(across), cell(down));
    let node = |row: usize, column: usize| light[row * (LIGHT_CELLS + 1) + column];
    let upper = node(row, column) * (1.0 - right) + node(row, column + 1) * right;
    let lower = node(row + 1, column) * (1.0 - right) + node(row + 1, column + 1) * right;
    upper * (1.0 - below) + lower * below
}

/// Distractors: soft ellipses, lines and thin arcs.
pub(super) fn clutter(canvas: &mut Canvas, side: f32, rng: &mut Pcg64) {
    for _ in 0..rng.random_range(1..=4) {
        blob(canvas, side, rng);
    }
    for _ in 0..rng.random_range(2..=6) {
        line(canvas, side, rng);
    }
    for _ in 0..rng.random_range(0..=2) {
        arc(canvas, side, rng);
    }
}

fn place(side: f32, rng: &mut Pcg64) -> [f32; 2] {
    [rng.random_range(0.0..side), rng.random_range(0.0..side)]
}

fn around([x, y]: [f32; 2], reach: f32) -> [f32; 4] {
    [x - reach, y - reach, x + reach, y + reach]
}

/// An ellipse without an edge: its opacity fades from the centre to the rim.
fn blob(canvas: &mut Canvas, side: f32, rng: &mut Pcg64) {
    let centre = place(side, rng);
    let reach = side * rng.random_range(0.06..0.26);
    let flatness = rng.random_range(1.0..2.4);
    let (sine, cosine) = rng.random_range(0.0..PI).sin_cos();
    let colour = if rng.random_bool(0.5) { vivid(rng) } else { subdued(rng) };
    let opacity = rng.random_range(0.25..0.75);
    canvas.cover(around(centre, reach), |[x, y]| {
        let (x, y) = (x - centre[0], y - centre[1]);
        let (along, across) = (x * cosine + y * sine, (y * cosine - x * sine) * flatness);
        (colour, opacity * (1.0 - smooth_step(0.15, 1.0, along.hypot(across) / reach)))
    });
}

/// A straight stroke with round ends.
pub(super) fn line(canvas: &mut Canvas, side: f32, rng: &mut Pcg64) {
    let (start, end) = (place(side, rng), place(side, rng));
    let half_width = side / 128.0 * rng.random_range(0.3..1.3);
    let (colour, opacity) = (stroke_colour(rng), rng.random_range(0.35..0.95));
    let edge = [end[0] - start[0], end[1] - start[1]];
    let length_squared = (edge[0] * edge[0] + edge[1] * edge[1]).max(1e-6);
    let reach = half_width + 1.0;
    let bounds = [
        start[0].min(end[0]) - reach,
        start[1].min(end[1]) - reach,
        start[0].max(end[0]) + reach,
        start[1].max(end[1]) + reach,
    ];
    canvas.cover(bounds, |[x, y]| {
        let (x, y) = (x - start[0], y - start[1]);
        let along = ((x * edge[0] + y * edge[1]) / length_squared).clamp(0.0, 1.0);
        let distance = (x - along * edge[0]).hypot(y - along * edge[1]) - half_width;
        (colour, opacity * coverage(distance))
    });
}

/// A piece of a thin circle: like a ring or a disc's rim at first sight, but open.
fn arc(canvas: &mut Canvas, side: f32, rng: &mut Pcg64) {
    let centre = place(side, rng);
    let radius = side * rng.random_range(0.06..0.3);
    let half_width = side / 128.0 * rng.random_range(0.4..1.2);
    let (middle, half_span) = (rng.random_range(0.0..TAU), rng.random_range(0.6..2.0));
    let (colour, opacity) = (stroke_colour(rng), rng.random_range(0.4..0.9));
    let (sine, cosine) = f32::sin_cos(middle);
    let least_along = f32::cos(half_span);
    canvas.cover(around(centre, radius + half_width + 1.0), |[x, y]| {
        let (x, y) = (x - centre[0], y - centre[1]);
        let distance = x.hypot(y);
        let inside = x * cosine + y * sine >= least_along * distance;
        (colour, if inside { opacity * coverage((distance - radius).abs() - half_width) } else { 0.0 })
    });
}

fn stroke_colour(rng: &mut Pcg64) -> Colour {
    match rng.random_range(0..4) {
        0 => [20.0; 3],
        1 => [240.0; 3],
        _ => vivid(rng),
    }
}
