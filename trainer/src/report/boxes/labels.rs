//! Names and scores beside the boxes, placed so that they do not cover one another.

use super::BoxStyle;
use crate::report::canvas::{Anchor, Canvas, TextStyle, text_width};
use crate::report::palette::{self, Rgb};

/// Height of a label and room beside its text, as shares of the text size.
const HEIGHT: f32 = 22.0 / 21.0;
const PADDING: f32 = 5.0 / 21.0;
/// Share of a label that may lie on others.
const MOST_HIDDEN: f32 = 0.2;

/// A text beside a box.
pub(super) struct Label {
    pub(super) text: String,
    /// Drawn where the text does not fit.
    pub(super) short: String,
    pub(super) color: Rgb,
    /// Left, top, right, bottom of the box.
    pub(super) beside: [f32; 4],
}

/// Draws the labels in order; where room is short the first ones get the better places, and a label that would
/// hide much of an earlier one is shortened, or else left out.
pub(super) fn draw(
    canvas: &mut Canvas,
    labels: impl Iterator<Item = Label>,
    frame: [f32; 4],
    style: &BoxStyle,
) {
    let mut taken: Vec<[f32; 4]> = Vec::new();
    for label in labels {
        let fitting = [&label.text, &label.short].into_iter().find_map(|text| {
            let width = text_width(text, style.text) + 2.0 * PADDING * style.text;
            let place = choose(&label.beside, width, frame, &taken, style);
            let hides = crowding(&place, &taken) > MOST_HIDDEN * width * HEIGHT * style.text;
            (!hides).then_some((text, place))
        });
        if let Some((text, place)) = fitting {
            draw_one(canvas, text, label.color, place, style);
            taken.push(place);
        }
    }
}

fn draw_one(canvas: &mut Canvas, text: &str, color: Rgb, place: [f32; 4], style: &BoxStyle) {
    canvas.fill(place, color);
    let middle = (place[1] + place[3]) / 2.0;
    let letters = TextStyle { size: style.text, color: palette::text_on(color), heavy: true };
    canvas.text(text, (place[0] + PADDING * style.text, middle), Anchor::Left, letters);
}

/// The first of six places along the box that overlaps no label, or else the one that overlaps least.
fn choose(beside: &[f32; 4], width: f32, frame: [f32; 4], taken: &[[f32; 4]], style: &BoxStyle) -> [f32; 4] {
    let [left, top, right, bottom] = *beside;
    let height = HEIGHT * style.text;
    // The outline is centred on the edge of the box; the label continues it.
    let edge = style.line / 2.0;
    let corners = [
        (left - edge, top - height),
        (left - edge, bottom),
        (right + edge - width, top - height),
        (right + edge - width, bottom),
        (left - edge, top),
        (right + edge - width, bottom - height),
    ];
    let places = corners.map(|corner| inside(corner, width, height, frame));
    let least = places.into_iter().min_by(|a, b| crowding(a, taken).total_cmp(&crowding(b, taken)));
    least.expect("there are six places")
}

/// How much of `place` lies on other labels, in square pixels.
fn crowding(place: &[f32; 4], taken: &[[f32; 4]]) -> f32 {
    taken.iter().map(|other| overlap(place, other)).sum()
}

/// Moves a label into the frame.
fn inside((x, y): (f32, f32), width: f32, height: f32, frame: [f32; 4]) -> [f32; 4] {
    let left = x.min(frame[2] - width).max(frame[0]);
    let top = y.min(frame[3] - height).max(frame[1]);
    [left, top, left + width, top + height]
}

fn overlap(a: &[f32; 4], b: &[f32; 4]) -> f32 {
    let side = |low: usize| (a[low + 2].min(b[low + 2]) - a[low].max(b[low])).max(0.0);
    side(0) * side(1)
}

/// `text`, or its beginning and `…` when it is wider than `width` pixels.
pub(in crate::report) fn shortened(text: &str, width: f32, size: f32) -> String {
    if text_width(text, size) <= width {
        return text.to_owned();
    }
    let mut kept: Vec<char> = text.chars().collect();
    while kept.pop().is_some() {
        let short: String = kept.iter().chain(&['…']).collect();
        if text_width(&short, size) <= width {
            return short;
        }
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: [f32; 4] = [0.0, 0.0, 400.0, 400.0];
    const STYLE: BoxStyle = BoxStyle { line: 3.5, text: 21.0, most_names: 7 };

    #[test]
    fn two_detections_of_one_box_get_two_places() {
        let beside = [100.0, 100.0, 200.0, 200.0];
        let first = choose(&beside, 80.0, FRAME, &[], &STYLE);
        let second = choose(&beside, 80.0, FRAME, &[first], &STYLE);
        assert_eq!(first[3], 100.0);
        assert_eq!(overlap(&first, &second), 0.0);
    }

    #[test]
    fn labels_stay_in_the_image() {
        for beside in [[0.0, 0.0, 400.0, 400.0], [390.0, 390.0, 400.0, 400.0], [0.0, 0.0, 2.0, 2.0]] {
            let [left, top, right, bottom] = choose(&beside, 120.0, FRAME, &[], &STYLE);
            assert!(left >= 0.0 && top >= 0.0 && right <= 400.0 && bottom <= 400.0, "{beside:?}");
        }
    }

    #[test]
    fn long_captions_are_cut_with_an_ellipsis() {
        assert_eq!(shortened("short", 400.0, 24.0), "short");
        let cut = shortened("a very long file name that goes on and on.jpeg", 200.0, 24.0);
        assert!(cut.ends_with('…') && text_width(&cut, 24.0) <= 200.0, "{cut}");
    }
}
