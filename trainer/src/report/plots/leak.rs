//! The leak experiment: the same loop twice, once keeping graphs, once as the policy asks.

use std::path::Path;

use guard_core::no_retain;

use super::figure::Figure;
use super::panel::{Line, Panel};
use super::smooth::thinned;
use super::ticks::Axis;
use crate::report::{ReportError, palette, units};

const MOST_POINTS: usize = 2400;

/// The end of a training step.
#[no_retain]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeakPoint {
    /// Training steps done.
    pub step: u64,
    /// Live tensor bytes.
    pub live_bytes: u64,
    /// Live autograd nodes.
    pub graph_nodes: u64,
    /// Bytes of the heap outside tensors.
    pub heap_bytes: u64,
}

/// One run of the loop.
#[no_retain]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeakRun {
    /// What the loop does, in a few words: it stands beside the curves; `\n` breaks the line.
    pub name: String,
    /// In order of `step`.
    pub points: Vec<LeakPoint>,
}

/// What `leak_png` draws.
#[no_retain]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeakCurves {
    /// Losses and features kept with their graphs.
    pub wrong: LeakRun,
    /// The same loop as the policy asks.
    pub policy: LeakRun,
}

impl LeakRun {
    /// Bytes of tensors added per step, from the end of the first tenth of the run to its last step.
    ///
    /// The first tenth is left out: optimizer state and caches are made in it. 0 with fewer than two points.
    pub fn live_bytes_per_step(&self) -> f64 {
        let (Some(first), Some(last)) = (self.points.get(self.points.len() / 10), self.points.last()) else {
            return 0.0;
        };
        let steps = last.step.saturating_sub(first.step).max(1);
        (last.live_bytes as f64 - first.live_bytes as f64) / steps as f64
    }

    fn series(&self, value: impl Fn(&LeakPoint) -> f64) -> Vec<(f64, f64)> {
        let points: Vec<_> = self.points.iter().map(|point| (point.step as f64, value(point))).collect();
        thinned(&points, MOST_POINTS)
    }
}

/// Draws both runs, one panel each for tensors, autograd nodes and heap, 1600 by 1500 pixels.
///
/// # Errors
/// `Empty` when a run has no step; `Io` when the file cannot be written.
pub fn leak_png(path: &Path, curves: &LeakCurves) -> Result<(), ReportError> {
    if curves.wrong.points.is_empty() || curves.policy.points.is_empty() {
        return Err(ReportError::Empty { path: path.to_path_buf(), what: "step in one of its two runs" });
    }
    let as_bytes = |value: f64| units::bytes((value * units::MEGABYTE).round() as u64);
    let panels = vec![
        panel(
            curves,
            "Live tensors",
            "MB at the end of each step",
            |p| p.live_bytes as f64 / units::MEGABYTE,
            as_bytes,
        ),
        panel(
            curves,
            "Autograd nodes",
            "alive at the end of each step",
            |p| p.graph_nodes as f64,
            |nodes| units::counted(nodes as u64, "node"),
        ),
        panel(
            curves,
            "Heap without tensors",
            "MB at the end of each step",
            |p| p.heap_bytes as f64 / units::MEGABYTE,
            as_bytes,
        ),
    ];
    Figure { title: title(curves), subtitle: subtitle(curves), panels }.save(path, 1500)
}

fn title(curves: &LeakCurves) -> String {
    let growth = |run: &LeakRun| signed_bytes(run.live_bytes_per_step());
    format!(
        "Tensors per step: {} the wrong way, {} under the policy",
        growth(&curves.wrong),
        growth(&curves.policy)
    )
}

fn subtitle(curves: &LeakCurves) -> String {
    let steps = curves.wrong.points.last().map_or(0, |point| point.step);
    format!("the same training loop twice, {} each", units::counted(steps, "step"))
}

fn signed_bytes(bytes: f64) -> String {
    let sign = if bytes < -0.5 { "-" } else { "+" };
    format!("{sign}{}", units::bytes(bytes.abs().round() as u64))
}

fn panel(
    curves: &LeakCurves,
    heading: &str,
    y_label: &str,
    value: fn(&LeakPoint) -> f64,
    text: impl Fn(f64) -> String,
) -> Panel {
    let (wrong, policy) = (curves.wrong.series(value), curves.policy.series(value));
    let ends = wrong.last().map_or(0.0, |p| p.0).max(policy.last().map_or(0.0, |p| p.0));
    let high = wrong.iter().chain(&policy).map(|point| point.1).fold(0.0, f64::max);
    let line = |run: &LeakRun, points: Vec<(f64, f64)>, color| {
        let last = points.last().map_or(0.0, |point| point.1);
        Line::solid(points, color, format!("{}\n{}", run.name, text(last)))
    };
    let (wrong, policy) =
        (line(&curves.wrong, wrong, palette::RED), line(&curves.policy, policy, palette::BLUE));
    Panel {
        heading: heading.to_owned(),
        y_label: y_label.to_owned(),
        x_label: "step",
        x: Axis::steps(0, ends as u64),
        y: Axis::from_zero(high, 4),
        lines: vec![wrong, policy],
        weight: 1.0,
    }
}
