//! `confusion.png`: which classes are taken for which.

use std::path::Path;

use guard_core::no_retain;

use crate::report::boxes::shortened;
use crate::report::canvas::{Anchor, Canvas, TextStyle, text_width};
use crate::report::palette::{self, Rgb};
use crate::report::{ReportError, units};

/// Sides of a cell in pixels: what fits, between these.
const CELL: std::ops::RangeInclusive<f32> = 16.0..=120.0;
/// Side of the whole grid that cells are sized for.
const GRID: f32 = 1200.0;
/// Smaller cells show their colour only.
const LEAST_CELL_WITH_NUMBER: f32 = 40.0;
const MARGIN: f32 = 40.0;
/// Title and subtitle.
const HEAD: f32 = 140.0;
/// Longest name beside the grid.
const MOST_NAME: f32 = 300.0;
/// From the names to the grid.
const GAP: f32 = 14.0;
/// Room for the titles of the two axes.
const AXIS_TITLE: f32 = 50.0;
/// Titles need this width, however few the classes.
const LEAST_WIDTH: f32 = 1100.0;

/// Counts of objects by class and by the class that they were found as.
#[no_retain]
#[derive(Debug, Clone, PartialEq)]
pub struct ConfusionTable {
    /// What was evaluated and with which thresholds.
    pub subject: String,
    /// By class index.
    pub class_names: Vec<String>,
    /// `counts[truth][found]`; the last row and column are the background: nothing there, nothing found.
    pub counts: Vec<Vec<u64>>,
}

/// Draws the table: a row for each class as it is, a column for each class as it was found.
///
/// The colour of a cell is its share of the row; the diagonal is right, the rest is wrong.
///
/// # Errors
/// `Empty` without a class; `Io` when the file cannot be written.
///
/// # Panics
/// When `counts` is not square with one row more than there are classes.
pub fn confusion_png(path: &Path, table: &ConfusionTable) -> Result<(), ReportError> {
    if table.class_names.is_empty() {
        return Err(ReportError::Empty { path: path.to_path_buf(), what: "class" });
    }
    let side = table.class_names.len() + 1;
    let square = table.counts.len() == side && table.counts.iter().all(|row| row.len() == side);
    assert!(square, "the counts have a row and a column for each class and the background");
    let layout = Layout::new(table);
    let mut canvas = layout.canvas();
    canvas.heading(&title_of(table), &table.subject, MARGIN, [52.0, 99.0]);
    layout.draw_axes(&mut canvas, table);
    for (truth, row) in table.counts.iter().enumerate() {
        let sum = row.iter().sum::<u64>().max(1);
        for (found, &count) in row.iter().enumerate() {
            layout.draw_cell(&mut canvas, (truth, found), count, count as f32 / sum as f32);
        }
    }
    layout.draw_background_lines(&mut canvas);
    canvas.save_png(path)
}

/// The result in words: of so many objects, so many are found under their own class.
fn title_of(table: &ConfusionTable) -> String {
    let classes = table.class_names.len();
    let objects: u64 = table.counts[..classes].iter().flatten().sum();
    let right: u64 = (0..classes).map(|class| table.counts[class][class]).sum();
    let missed: u64 = (0..classes).map(|class| table.counts[class][classes]).sum();
    let [of, right, wrong, missed] = [objects, right, objects - right - missed, missed].map(units::grouped);
    format!("Of {of} objects {right} found, {wrong} as another class, {missed} missed")
}

/// Where things stand, in pixels.
struct Layout {
    cell: f32,
    side: usize,
    /// Upper left corner of the grid.
    left: f32,
    top: f32,
    letters: f32,
}

impl Layout {
    fn new(table: &ConfusionTable) -> Self {
        let side = table.class_names.len() + 1;
        let cell = (GRID / side as f32).clamp(*CELL.start(), *CELL.end()).floor();
        let letters = (0.8 * cell).min(25.0);
        let width = |name: &String| text_width(name, letters);
        let names = table.class_names.iter().map(width).fold(text_width(BACKGROUND[0], letters), f32::max);
        let names = names.min(MOST_NAME) + GAP;
        Self { cell, side, left: MARGIN + names, top: HEAD + AXIS_TITLE + names, letters }
    }

    fn canvas(&self) -> Canvas {
        let grid = self.side as f32 * self.cell;
        let width = (self.left + grid + MARGIN).max(LEAST_WIDTH);
        Canvas::new(width as u32, (self.top + grid + MARGIN) as u32)
    }

    /// Left, top, right, bottom of a cell.
    fn place(&self, (truth, found): (usize, usize)) -> [f32; 4] {
        let (x, y) = (self.left + found as f32 * self.cell, self.top + truth as f32 * self.cell);
        [x, y, x + self.cell, y + self.cell]
    }

    fn draw_axes(&self, canvas: &mut Canvas, table: &ConfusionTable) {
        let names =
            |last: &str| table.class_names.iter().cloned().chain([last.to_owned()]).collect::<Vec<_>>();
        let style = TextStyle { size: self.letters, color: palette::INK, heavy: false };
        for (i, (row, column)) in names(BACKGROUND[0]).iter().zip(names(BACKGROUND[1])).enumerate() {
            let middle = (i as f32 + 0.5) * self.cell;
            let cut = |name: &str| shortened(name, MOST_NAME, style.size);
            canvas.text(&cut(row), (self.left - GAP, self.top + middle), Anchor::Right, style);
            canvas.text_upwards(&cut(&column), (self.left + middle, self.top - GAP), style);
        }
        let style = TextStyle { size: 27.0, color: palette::MUTED, heavy: true };
        canvas.text("found as", (self.left, HEAD + 10.0), Anchor::Left, style);
        canvas.text("is", (self.left - GAP, self.top - 24.0), Anchor::Right, style);
    }

    fn draw_cell(&self, canvas: &mut Canvas, at: (usize, usize), count: u64, share: f32) {
        let [left, top, right, bottom] = self.place(at);
        // Right on blue, wrong on orange.
        let full = if at.0 == at.1 { palette::BLUE } else { palette::ORANGE };
        let color = mixed(full, share);
        canvas.fill([left, top, right, bottom], palette::GRID);
        canvas.fill([left + 1.0, top + 1.0, right - 1.0, bottom - 1.0], color);
        let corner = at == (self.side - 1, self.side - 1);
        if count > 0 && !corner && self.cell >= LEAST_CELL_WITH_NUMBER {
            let text = units::grouped(count);
            let size = (0.8 * self.cell / text_width(&text, 1.0).max(0.1)).min(0.34 * self.cell).min(30.0);
            let style = TextStyle { size, color: palette::text_on(color), heavy: true };
            canvas.text(&text, ((left + right) / 2.0, (top + bottom) / 2.0), Anchor::Middle, style);
        }
    }

    /// Sets the background row and column off from the classes.
    fn draw_background_lines(&self, canvas: &mut Canvas) {
        let [x, y, right, bottom] = self.place((self.side - 1, self.side - 1));
        canvas.fill([x - 1.0, self.top, x + 2.0, bottom], palette::MUTED);
        canvas.fill([self.left, y - 1.0, right, y + 2.0], palette::MUTED);
    }
}

/// Names of the last row and the last column.
const BACKGROUND: [&str; 2] = ["(nothing)", "(missed)"];

/// White for 0, `full` for 1; small shares are lifted so that they show.
fn mixed(full: Rgb, share: f32) -> Rgb {
    let share = if share > 0.0 { 0.08 + 0.92 * share } else { 0.0 };
    full.map(|v| (255.0 + (f32::from(v) - 255.0) * share).round() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_states_the_result() {
        let table = ConfusionTable {
            subject: String::new(),
            class_names: vec!["cat".into(), "dog".into()],
            counts: vec![vec![5, 1, 2], vec![0, 7, 0], vec![3, 1, 0]],
        };
        assert_eq!(title_of(&table), "Of 15 objects 12 found, 1 as another class, 2 missed");
    }

    #[test]
    fn a_single_wrong_object_shows() {
        assert_eq!(mixed([0, 0, 0], 0.0), palette::WHITE);
        assert_eq!(mixed([10, 20, 30], 1.0), [10, 20, 30]);
        assert!(mixed([0, 0, 0], 0.001)[0] < 240);
    }
}
