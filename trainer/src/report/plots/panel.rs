//! One coordinate system: heading, grid, lines, and a label at the end of each line.

use super::ticks::Axis;
use crate::report::canvas::{Anchor, Canvas, TextStyle};
use crate::report::palette::{self, Rgb};

/// Above the plot: the heading.
const HEADING: f32 = 56.0;
/// Below the plot: tick labels and the axis label.
const FOOT: f32 = 72.0;
const TICK: TextStyle = TextStyle { size: 24.0, color: palette::MUTED, heavy: false };
const LABEL_LINE: f32 = 28.0;

/// A curve.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) points: Vec<(f64, f64)>,
    pub(super) color: Rgb,
    pub(super) width: f32,
    pub(super) alpha: f32,
    /// Radius of the dots on the points; 0 draws none.
    pub(super) dots: f32,
    /// Stands right of the last point; lines are split at `\n`, empty draws none.
    pub(super) label: String,
}

impl Line {
    /// A solid curve with a label.
    pub(super) fn solid(points: Vec<(f64, f64)>, color: Rgb, label: impl Into<String>) -> Self {
        Self { points, color, width: 3.5, alpha: 1.0, dots: 0.0, label: label.into() }
    }

    /// A faint thin curve behind the others.
    pub(super) fn faint(points: Vec<(f64, f64)>, color: Rgb) -> Self {
        Self { width: 1.5, alpha: 0.35, ..Self::solid(points, color, "") }
    }

    /// The same curve with a dot on every point.
    pub(super) fn dotted(self, radius: f32) -> Self {
        Self { dots: radius, ..self }
    }
}

/// One coordinate system.
#[derive(Debug, Clone)]
pub(super) struct Panel {
    pub(super) heading: String,
    /// Unit and meaning of the y axis, after the heading.
    pub(super) y_label: String,
    pub(super) x_label: &'static str,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) lines: Vec<Line>,
    /// Share of the height of the figure.
    pub(super) weight: f32,
}

impl Panel {
    /// Draws the panel into `[left, top, right, bottom]`; labels of the curves stand right of `right`.
    pub(super) fn draw(&self, canvas: &mut Canvas, [left, top, right, bottom]: [f32; 4]) {
        let frame = Frame { left, top: top + HEADING, right, bottom: bottom - FOOT };
        self.draw_heading(canvas, left, top);
        self.draw_grid(canvas, &frame);
        self.lines.iter().for_each(|line| self.draw_line(canvas, &frame, line));
        self.draw_labels(canvas, &frame);
    }

    fn draw_heading(&self, canvas: &mut Canvas, left: f32, top: f32) {
        let style = TextStyle { size: 30.0, color: palette::INK, heavy: true };
        canvas.text(&self.heading, (left, top + 22.0), Anchor::Left, style);
        let after = left + crate::report::canvas::text_width(&self.heading, style.size) + 16.0;
        canvas.text(&self.y_label, (after, top + 23.0), Anchor::Left, TICK);
    }

    fn draw_grid(&self, canvas: &mut Canvas, frame: &Frame) {
        for (value, label) in &self.y.ticks {
            let y = frame.y(self.y.share(*value)).round();
            canvas.fill([frame.left, y - 1.0, frame.right, y + 1.0], palette::GRID);
            canvas.text(label, (frame.left - 14.0, y), Anchor::Right, TICK);
        }
        canvas.fill([frame.left, frame.bottom - 1.0, frame.right, frame.bottom + 1.0], palette::AXIS);
        for (value, label) in &self.x.ticks {
            let x = frame.x(self.x.share(*value)).round();
            canvas.fill([x - 1.0, frame.bottom, x + 1.0, frame.bottom + 8.0], palette::AXIS);
            canvas.text(label, (x, frame.bottom + 25.0), Anchor::Middle, TICK);
        }
        let below = ((frame.left + frame.right) / 2.0, frame.bottom + 54.0);
        canvas.text(self.x_label, below, Anchor::Middle, TICK);
    }

    fn draw_line(&self, canvas: &mut Canvas, frame: &Frame, line: &Line) {
        let points: Vec<_> = finite(line).map(|point| self.place(frame, point)).collect();
        canvas.stroke(&points, line.width, line.color, line.alpha);
        // A single point makes no stroke.
        let dots = if points.len() == 1 { line.dots.max(line.width) } else { line.dots };
        if dots > 0.0 {
            points.iter().for_each(|&point| canvas.dot(point, dots, line.color));
        }
    }

    fn draw_labels(&self, canvas: &mut Canvas, frame: &Frame) {
        let labelled = self.lines.iter().filter(|line| !line.label.is_empty());
        let ends: Vec<_> =
            labelled.filter_map(|line| Some((line, self.place(frame, finite(line).last()?).1))).collect();
        let wishes: Vec<_> =
            ends.iter().map(|(line, y)| (*y, LABEL_LINE * line.label.lines().count() as f32)).collect();
        for ((line, end), middle) in ends.iter().zip(spread(&wishes, frame.bottom)) {
            let first = middle - LABEL_LINE * (line.label.lines().count() as f32 - 1.0) / 2.0;
            let hook = [(frame.right + 8.0, *end), (frame.right + 26.0, middle)];
            canvas.stroke(&hook, 2.0, line.color, 0.7);
            for (i, text) in line.label.lines().enumerate() {
                let style = TextStyle { size: 25.0, color: line.color, heavy: true };
                let at = (frame.right + 34.0, first + i as f32 * LABEL_LINE);
                canvas.text(text, at, Anchor::Left, style);
            }
        }
    }

    fn place(&self, frame: &Frame, (x, y): (f64, f64)) -> (f32, f32) {
        (frame.x(self.x.share(x)), frame.y(self.y.share(y)))
    }
}

fn finite(line: &Line) -> impl Iterator<Item = (f64, f64)> {
    line.points.iter().copied().filter(|(_, y)| y.is_finite())
}

/// The plot area in pixels.
struct Frame {
    left: f32,
    top: f32,
    right: f32,
    bottom: f32,
}

impl Frame {
    fn x(&self, share: f32) -> f32 {
        self.left + share * (self.right - self.left)
    }

    fn y(&self, share: f32) -> f32 {
        self.bottom - share * (self.bottom - self.top)
    }
}

/// Moves labels of `(middle, height)` apart so that none overlap and none reaches below `bottom`.
///
/// The order from top to bottom is kept; the result is in the order of the input.
fn spread(wishes: &[(f32, f32)], bottom: f32) -> Vec<f32> {
    let mut order: Vec<usize> = (0..wishes.len()).collect();
    order.sort_by(|&a, &b| wishes[a].0.total_cmp(&wishes[b].0));
    let mut middles: Vec<f32> = wishes.iter().map(|wish| wish.0).collect();
    let mut floor = f32::NEG_INFINITY;
    for &i in &order {
        middles[i] = middles[i].max(floor + wishes[i].1 / 2.0);
        floor = middles[i] + wishes[i].1 / 2.0;
    }
    let mut ceiling = bottom + LABEL_LINE / 2.0;
    for &i in order.iter().rev() {
        middles[i] = middles[i].min(ceiling - wishes[i].1 / 2.0);
        ceiling = middles[i] - wishes[i].1 / 2.0;
    }
    middles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_moved_apart_in_order() {
        let middles = spread(&[(100.0, 28.0), (101.0, 28.0), (99.0, 28.0)], 500.0);
        assert!(middles[2] < middles[0] && middles[0] < middles[1]);
        assert!(middles[0] - middles[2] >= 28.0 && middles[1] - middles[0] >= 28.0);
    }

    #[test]
    fn labels_at_the_bottom_are_pushed_up() {
        let middles = spread(&[(500.0, 28.0), (500.0, 28.0)], 500.0);
        assert_eq!(middles, [472.0, 500.0]);
    }

    #[test]
    fn labels_with_room_stay() {
        assert_eq!(spread(&[(300.0, 28.0), (100.0, 56.0)], 500.0), [300.0, 100.0]);
    }
}
