//! Boxes with names and scores on an image: one way of drawing for contact sheets and single pictures.
//!
//! Ground truth is a dashed white outline, a detection a solid outline in the colour of its class with name and
//! score. Where the two agree, the white dashes run on the coloured line.

mod labels;

use guard_core::no_retain;

use super::canvas::Canvas;
use super::palette;
use labels::Label;

pub(super) use labels::shortened;

/// An object that is there.
#[no_retain]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Truth {
    /// Index into the class names.
    pub class: usize,
    /// Left, top, right, bottom in pixels of the image.
    pub box_xyxy: [f32; 4],
}

/// An object that the model found.
#[no_retain]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Detection {
    /// Index into the class names.
    pub class: usize,
    /// In 0..=1.
    pub score: f32,
    /// Left, top, right, bottom in pixels of the image.
    pub box_xyxy: [f32; 4],
}

/// Weights and sizes in pixels of the canvas.
#[no_retain]
#[derive(Debug, Clone, Copy)]
pub(super) struct BoxStyle {
    /// Width of the outline of a detection; that of an object is half of it.
    pub(super) line: f32,
    /// Height of a line of text.
    pub(super) text: f32,
    /// With more detections than this, names are left out: the legend tells the class by its colour.
    pub(super) most_names: usize,
}

/// Boxes of one image.
pub(super) struct Boxes<'a> {
    pub(super) truth: &'a [Truth],
    pub(super) detections: &'a [Detection],
    pub(super) class_names: &'a [String],
    pub(super) style: BoxStyle,
}

/// The name of a class; one beyond the list is shown as its number.
pub(super) fn class_name(names: &[String], class: usize) -> String {
    names.get(class).cloned().unwrap_or_else(|| format!("class {class}"))
}

impl Boxes<'_> {
    /// Draws over the image that fills `frame` of the canvas at `scale` pixels for each of its own.
    ///
    /// Boxes are cut to the frame; boxes that are not finite are left out.
    pub(super) fn draw(&self, canvas: &mut Canvas, scale: f32, frame: [f32; 4]) {
        let place = |box_xyxy: &[f32; 4]| placed(box_xyxy, scale, frame);
        let line = self.style.line;
        let truth: Vec<_> = self.truth.iter().filter_map(|truth| place(&truth.box_xyxy)).collect();
        // A dark line under the white dashes keeps them visible on light images.
        truth.iter().for_each(|b| canvas.stroke(&outline(b), line / 2.0 + 2.0, [0, 0, 0], 0.45));
        let mut found: Vec<_> =
            self.detections.iter().filter_map(|d| Some((d, place(&d.box_xyxy)?))).collect();
        // The surest on top.
        found.sort_by(|a, b| a.0.score.total_cmp(&b.0.score));
        for (detection, b) in &found {
            self.draw_outline(canvas, detection.class, b);
        }
        for b in &truth {
            let dash = |dash: &[(f32, f32); 2]| canvas.stroke(dash, line / 2.0, palette::WHITE, 1.0);
            dashes(&outline(b), 2.0 * line).iter().for_each(dash);
        }
        let wishes = found.iter().rev().map(|(detection, b)| self.label(detection, *b, found.len()));
        labels::draw(canvas, wishes, frame, &self.style);
    }

    /// Draws the objects alone, in the colours of their classes: a data set without a model.
    pub(super) fn draw_annotations(&self, canvas: &mut Canvas, scale: f32, frame: [f32; 4]) {
        let place = |truth: &Truth| Some((truth.class, placed(&truth.box_xyxy, scale, frame)?));
        let truth: Vec<_> = self.truth.iter().filter_map(place).collect();
        for (class, b) in &truth {
            self.draw_outline(canvas, *class, b);
        }
        let is_named = |_: &&(usize, [f32; 4])| truth.len() <= self.style.most_names;
        let named = truth.iter().filter(is_named).map(|(class, b)| {
            let text = class_name(self.class_names, *class);
            Label { short: text.clone(), text, color: palette::class_color(*class), beside: *b }
        });
        labels::draw(canvas, named, frame, &self.style);
    }

    fn draw_outline(&self, canvas: &mut Canvas, class: usize, b: &[f32; 4]) {
        let color = palette::class_color(class);
        // Side by side, not as one stroke: that takes memory for the whole inside of a large box.
        outline(b).windows(2).for_each(|side| canvas.stroke(side, self.style.line, color, 1.0));
    }

    fn label(&self, detection: &Detection, beside: [f32; 4], of: usize) -> Label {
        let score = format!("{:.2}", detection.score);
        let text = match of <= self.style.most_names {
            true => format!("{} {score}", class_name(self.class_names, detection.class)),
            false => score.clone(),
        };
        Label { text, short: score, color: palette::class_color(detection.class), beside }
    }
}

/// A box of the image in pixels of the canvas, cut to the frame; `None` when a number is not finite.
fn placed(box_xyxy: &[f32; 4], scale: f32, frame: [f32; 4]) -> Option<[f32; 4]> {
    let x = |v: f32| (frame[0] + v * scale).clamp(frame[0], frame[2]);
    let y = |v: f32| (frame[1] + v * scale).clamp(frame[1], frame[3]);
    let [left, top, right, bottom] = *box_xyxy;
    box_xyxy.iter().all(|v| v.is_finite()).then(|| [x(left), y(top), x(right), y(bottom)])
}

fn outline([left, top, right, bottom]: &[f32; 4]) -> [(f32, f32); 5] {
    [(*left, *top), (*right, *top), (*right, *bottom), (*left, *bottom), (*left, *top)]
}

/// The dashes along the sides, each about `dash` long; each side starts with one, so that corners are marked.
fn dashes(outline: &[(f32, f32); 5], dash: f32) -> Vec<[(f32, f32); 2]> {
    let side = |pair: &[(f32, f32)]| {
        let (from, to) = (pair[0], pair[1]);
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        // An odd number of dashes and gaps ends the side with a dash.
        let parts = ((length / dash / 2.0).round() * 2.0 + 1.0) as usize;
        let at = move |part: usize| {
            let share = part as f32 / parts as f32;
            (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1))
        };
        (0..parts).step_by(2).map(move |part| [at(part), at(part + 1)])
    };
    outline.windows(2).flat_map(side).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_cut_to_the_image() {
        let frame = [100.0, 50.0, 500.0, 450.0];
        assert_eq!(placed(&[-5.0, 10.0, 999.0, 20.0], 2.0, frame), Some([100.0, 70.0, 500.0, 90.0]));
        assert_eq!(placed(&[0.0, f32::NAN, 1.0, 1.0], 2.0, frame), None);
    }

    #[test]
    fn every_corner_carries_a_dash() {
        let outline = outline(&[0.0, 0.0, 100.0, 33.0]);
        let dashes = dashes(&outline, 7.0);
        for corner in &outline[..4] {
            let near = |p: &(f32, f32)| (p.0 - corner.0).hypot(p.1 - corner.1) < 1e-3;
            assert_eq!(dashes.iter().flatten().filter(|p| near(p)).count(), 2, "{corner:?}");
        }
    }
}
