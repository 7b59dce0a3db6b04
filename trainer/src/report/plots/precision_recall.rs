//! `precision_recall.png`: precision against recall, class by class and in the mean.

use std::path::Path;

use guard_core::no_retain;

use super::figure::Figure;
use super::panel::{Line, Panel};
use super::ticks::Axis;
use crate::report::{ReportError, palette};

/// More labels than this do not fit beside the panel.
const MOST_LABELS: usize = 14;

/// The curves of an evaluation.
#[no_retain]
#[derive(Debug, Clone, PartialEq)]
pub struct PrecisionFigure {
    /// What was evaluated, such as the name of the data set.
    pub subject: String,
    /// One for each class with objects.
    pub classes: Vec<PrecisionCurve>,
}

/// Precision of one class over recall.
#[no_retain]
#[derive(Debug, Clone, PartialEq)]
pub struct PrecisionCurve {
    /// Decides the colour: that of the class in every picture.
    pub class: usize,
    /// Stands beside the curve.
    pub name: String,
    /// At evenly spaced recalls from 0 to 1; 0 where the recall is not reached.
    pub precision: Vec<f64>,
    /// The best balance of precision and recall, marked with a dot.
    pub best: Option<BestPoint>,
}

/// A point of a curve.
#[no_retain]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestPoint {
    /// Of the objects.
    pub recall: f64,
    /// Of the detections.
    pub precision: f64,
    /// The score threshold that gives the point.
    pub score: f64,
}

impl PrecisionCurve {
    fn area(&self) -> f64 {
        self.precision.iter().sum::<f64>() / self.precision.len().max(1) as f64
    }

    /// The part of the curve that is reached.
    fn points(&self) -> Vec<(f64, f64)> {
        let steps = self.precision.len().saturating_sub(1).max(1) as f64;
        let reached = self.precision.iter().enumerate().take_while(|(_, precision)| **precision > 0.0);
        reached.map(|(i, &precision)| (i as f64 / steps, precision)).collect()
    }

    fn color(&self) -> palette::Rgb {
        palette::class_color(self.class)
    }
}

/// Draws the curves, 1600 by 1100 pixels.
///
/// With many classes only the lowest are labelled: those that need work.
///
/// # Errors
/// `Empty` without a class; `Io` when the file cannot be written.
pub fn precision_recall_png(path: &Path, figure: &PrecisionFigure) -> Result<(), ReportError> {
    if figure.classes.is_empty() {
        return Err(ReportError::Empty { path: path.to_path_buf(), what: "class with objects" });
    }
    let panel = Panel {
        heading: "Precision over recall".to_owned(),
        y_label: "at IoU 0.50; dots: best F1, with its score threshold".to_owned(),
        x_label: "recall",
        x: Axis::unit(),
        y: Axis::unit(),
        lines: lines(&figure.classes),
        weight: 1.0,
    };
    Figure { title: title(figure), subtitle: figure.subject.clone(), panels: vec![panel] }.save(path, 1100)
}

fn title(figure: &PrecisionFigure) -> String {
    let count = figure.classes.len();
    let mean = figure.classes.iter().map(PrecisionCurve::area).sum::<f64>() / count as f64;
    match count {
        1 => format!("AP50 {mean:.3}"),
        _ => format!("AP50 {mean:.3}, the mean of {count} classes"),
    }
}

fn lines(classes: &[PrecisionCurve]) -> Vec<Line> {
    let mut ascending: Vec<&PrecisionCurve> = classes.iter().collect();
    ascending.sort_by(|a, b| a.area().total_cmp(&b.area()));
    let (labelled, others) = ascending.split_at(ascending.len().min(MOST_LABELS));
    let faint = others.iter().map(|curve| Line::faint(curve.points(), curve.color()));
    let labelled = labelled.iter().flat_map(|curve| {
        let dot = curve.best.map(|best| (best.recall, best.precision));
        let dot = Line::solid(dot.into_iter().collect(), curve.color(), "").dotted(7.0);
        [Line::solid(curve.points(), curve.color(), label(curve)), dot]
    });
    faint.chain(labelled).collect()
}

fn label(curve: &PrecisionCurve) -> String {
    let name: String = curve.name.chars().take(18).collect();
    match curve.best {
        Some(best) => format!("{name} {:.3} at {:.2}", curve.area(), best.score),
        None => format!("{name} {:.3}", curve.area()),
    }
}
