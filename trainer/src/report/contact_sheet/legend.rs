//! What the outlines and their colours mean.

use super::{Content, Sheet};
use crate::report::canvas::{Anchor, Canvas, TextStyle, text_width};
use crate::report::palette::{self, Rgb};

const STYLE: TextStyle = TextStyle { size: 25.0, color: palette::INK, heavy: false };
const ROW: f32 = 36.0;
const SWATCH: f32 = 30.0;
const AFTER_SWATCH: f32 = 10.0;
const AFTER_ENTRY: f32 = 30.0;
const BELOW: f32 = 18.0;

enum Entry {
    Truth,
    Class(Rgb, String),
}

impl Entry {
    fn text(&self) -> &str {
        match self {
            Self::Truth => "ground truth",
            Self::Class(_, name) => name,
        }
    }

    fn width(&self) -> f32 {
        SWATCH + AFTER_SWATCH + text_width(self.text(), STYLE.size) + AFTER_ENTRY
    }
}

/// Swatches with names, in rows.
pub(super) struct Legend {
    rows: Vec<Vec<Entry>>,
}

impl Legend {
    /// Every class on the sheet, after the ground truth beside detections, in rows of at most `width` pixels.
    pub(super) fn new(sheet: &Sheet, content: Content, width: f32) -> Self {
        let classes = sheet.classes_shown().into_iter();
        let classes = classes.map(|class| Entry::Class(palette::class_color(class), sheet.class_name(class)));
        let first = (content == Content::Detections).then_some(Entry::Truth);
        let mut used = first.iter().map(Entry::width).sum();
        let mut rows: Vec<Vec<Entry>> = vec![first.into_iter().collect()];
        for entry in classes {
            if used + entry.width() > width {
                rows.push(Vec::new());
                used = 0.0;
            }
            used += entry.width();
            rows.last_mut().expect("there is a first row").push(entry);
        }
        Self { rows }
    }

    pub(super) fn height(&self) -> f32 {
        self.rows.len() as f32 * ROW + BELOW
    }

    pub(super) fn draw(&self, canvas: &mut Canvas, (left, top): (f32, f32)) {
        for (row, entries) in self.rows.iter().enumerate() {
            let middle = top + (row as f32 + 0.5) * ROW;
            let mut x = left;
            for entry in entries {
                draw_swatch(canvas, entry, (x, middle));
                let at = (x + SWATCH + AFTER_SWATCH, middle);
                canvas.text(entry.text(), at, Anchor::Left, STYLE);
                x += entry.width();
            }
        }
    }
}

fn draw_swatch(canvas: &mut Canvas, entry: &Entry, (x, middle): (f32, f32)) {
    match entry {
        Entry::Class(color, _) => canvas.fill([x, middle - 9.0, x + SWATCH, middle + 9.0], *color),
        // White dashes show on dark only.
        Entry::Truth => {
            canvas.fill([x, middle - 9.0, x + SWATCH, middle + 9.0], palette::MUTED);
            for dash in [2.0, 12.0, 22.0] {
                let ends = [(x + dash, middle), (x + dash + 6.0, middle)];
                canvas.stroke(&ends, 2.5, palette::WHITE, 1.0);
            }
        }
    }
}
