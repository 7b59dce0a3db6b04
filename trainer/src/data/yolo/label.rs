//! One YOLO label file: a line for each object, the numbers relative to the image.

use std::path::Path;

use crate::data::DataError;
use crate::data::text::read_text;

/// What a line describes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Object {
    pub(super) line: u32,
    pub(super) class: usize,
    /// Left, top, right, bottom as shares of width and height.
    pub(super) xyxy: [f64; 4],
}

/// How the lines are to be read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grammar {
    /// Number of classes.
    pub(super) classes: usize,
    /// Keypoints may follow the box.
    pub(super) keypoints: bool,
}

/// Coordinates that are still taken for shares; the box is clipped afterwards.
const SHARES: std::ops::RangeInclusive<f64> = -1.0..=2.0;

/// The objects of a label file.
///
/// # Errors
/// When it cannot be read, or a line has another number of columns, a class that is not declared, or a coordinate
/// that is no share of the image; the line and the column are named.
pub(super) fn read(path: &Path, grammar: Grammar) -> Result<Vec<Result<Object, DataError>>, DataError> {
    let text = read_text(path)?;
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    Ok(lines.map(|(line, text)| Line { path, line, grammar }.object(text)).collect())
}

struct Line<'a> {
    path: &'a Path,
    line: u32,
    grammar: Grammar,
}

impl Line<'_> {
    fn object(&self, text: &str) -> Result<Object, DataError> {
        let columns: Vec<&str> = text.split_whitespace().collect();
        let xyxy = match columns.len() {
            5 => self.corners(&columns[1..])?,
            6.. if self.grammar.keypoints => self.corners(&columns[1..5])?,
            7.. if columns.len() % 2 == 1 => self.bounds(&columns[1..])?,
            found => {
                let expected = "5 (class, centre x, centre y, width, height) or a polygon (class and at least \
                                3 pairs of x and y)";
                return Err(self.fault("line", format!("of {found} columns"), expected.into()));
            }
        };
        Ok(Object { line: self.line, class: self.class(columns[0])?, xyxy })
    }

    fn class(&self, text: &str) -> Result<usize, DataError> {
        let last = self.grammar.classes.saturating_sub(1);
        // Some tools write every column as a fraction.
        let whole = text.parse().ok().or_else(|| text.strip_suffix(".0")?.parse().ok());
        whole.filter(|class| *class <= last).ok_or_else(|| {
            self.fault(
                "class",
                format!("`{text}`"),
                format!("a class index from 0 to {last}: add the class to `names` or correct the line"),
            )
        })
    }

    fn corners(&self, columns: &[&str]) -> Result<[f64; 4], DataError> {
        let mut numbers = [0.0; 4];
        for (i, name) in ["centre x", "centre y", "width", "height"].into_iter().enumerate() {
            numbers[i] = self.share(name, columns[i])?;
        }
        let [x, y, width, height] = numbers;
        Ok([x - width / 2.0, y - height / 2.0, x + width / 2.0, y + height / 2.0])
    }

    /// The box around a polygon.
    fn bounds(&self, columns: &[&str]) -> Result<[f64; 4], DataError> {
        let mut xyxy = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
        for pair in columns.chunks_exact(2) {
            let (x, y) = (self.share("x", pair[0])?, self.share("y", pair[1])?);
            xyxy = [xyxy[0].min(x), xyxy[1].min(y), xyxy[2].max(x), xyxy[3].max(y)];
        }
        Ok(xyxy)
    }

    fn share(&self, field: &str, text: &str) -> Result<f64, DataError> {
        let number = text.parse::<f64>().ok().filter(|number| SHARES.contains(number));
        number.ok_or_else(|| {
            let expected = "a share of the image from 0 to 1 (divide pixels by the image's width or height)";
            self.fault(field, format!("`{text}`"), expected.into())
        })
    }

    fn fault(&self, field: &str, found: String, expected: String) -> DataError {
        DataError::Field { path: self.path.into(), line: self.line, field: field.into(), found, expected }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str, keypoints: bool) -> Result<Object, String> {
        let grammar = Grammar { classes: 3, keypoints };
        Line { path: Path::new("a.txt"), line: 4, grammar }.object(text).map_err(|error| error.to_string())
    }

    #[test]
    fn reads_boxes_polygons_and_the_box_before_keypoints() {
        let expected = Object { line: 4, class: 2, xyxy: [0.25, 0.25, 0.75, 0.5] };
        assert_eq!(object("2 0.5 0.375 0.5 0.25", false), Ok(expected));
        assert_eq!(object("2.0\t0.25 0.25 0.75 0.3 0.5 0.5", false), Ok(expected));
        assert_eq!(object("2 0.5 0.375 0.5 0.25 0.1 0.2 2", true), Ok(expected));
    }

    #[test]
    fn names_line_and_column() {
        let says = |text, part: &str| {
            let message = object(text, false).unwrap_err();
            assert!(message.contains("`a.txt` line 4") && message.contains(part), "{message}");
        };
        says("2 0.5 0.5 0.5", "`line` is of 4 columns, expected 5");
        says("2 0.5 0.5 0.5 0.5 0.9", "`line` is of 6 columns");
        says("3 0.5 0.5 0.5 0.5", "`class` is `3`, expected a class index from 0 to 2");
        says("-1 0.5 0.5 0.5 0.5", "`class` is `-1`");
        says("0 320 0.5 0.5 0.5", "`centre x` is `320`, expected a share");
        says("0 0.5 0.5 nan 0.5", "`width` is `nan`");
        says("0 0.5 0.5 0.5 inf", "`height` is `inf`");
    }
}
