//! `memory.png`: live tensor bytes, their peak within each step, and the size of the process.

use std::path::Path;

use guard_core::no_retain;

use super::figure::Figure;
use super::panel::{Line, Panel};
use super::smooth::thinned;
use super::ticks::Axis;
use crate::report::{Record, ReportError, palette, units};

const MOST_POINTS: usize = 2400;

/// The end of a training step; all values in bytes.
#[no_retain]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryPoint {
    /// Training steps done.
    pub step: u64,
    /// Live tensor bytes.
    pub live_bytes: u64,
    /// Highest live tensor bytes within the step.
    pub peak_bytes: u64,
    /// Resident set of the process; 0 where the system does not tell.
    pub rss_bytes: u64,
}

/// The end of an epoch.
#[no_retain]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EpochMemory {
    /// Epoch, from 0.
    pub epoch: u64,
    /// Training steps done.
    pub step: u64,
    /// Live tensor bytes.
    pub live_bytes: u64,
}

/// What `memory_png` draws.
#[no_retain]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryCurve {
    /// In order of `step`.
    pub steps: Vec<MemoryPoint>,
    /// In order of `epoch`.
    pub epochs: Vec<EpochMemory>,
}

impl MemoryCurve {
    /// Takes the points from a log.
    pub fn from_records(records: &[Record]) -> Self {
        let mut curve = Self::default();
        for record in records {
            match record {
                Record::Step(s) => curve.steps.push(MemoryPoint {
                    step: s.step,
                    live_bytes: s.live_bytes,
                    peak_bytes: s.peak_bytes,
                    rss_bytes: s.rss_bytes,
                }),
                Record::Epoch(e) => {
                    curve.epochs.push(EpochMemory { epoch: e.epoch, step: e.step, live_bytes: e.live_bytes });
                }
                Record::Run(_) => {}
            }
        }
        curve
    }

    /// One sentence: are the live bytes at the epoch ends equal, and how many are they?
    ///
    /// The first epoch is left out of the comparison when it alone differs: optimizer state is made in it.
    pub fn verdict(&self) -> String {
        let bytes: Vec<u64> = self.epochs.iter().map(|epoch| epoch.live_bytes).collect();
        match bytes.as_slice() {
            [] => format!("Live tensor bytes over {}", units::counted(self.last_step(), "step")),
            [only] => format!("Live tensor bytes at the end of epoch 1: {}", units::grouped(*only)),
            all if equal(all) => equal_verdict("every epoch", all[0]),
            [_, rest @ ..] if rest.len() > 1 && equal(rest) => {
                equal_verdict("every epoch after the first", rest[0])
            }
            [first @ .., last] => {
                let (low, high) = first.iter().fold((*last, *last), |(l, h), &b| (l.min(b), h.max(b)));
                format!(
                    "Live tensor bytes at epoch ends differ: {} to {}",
                    units::grouped(low),
                    units::grouped(high)
                )
            }
        }
    }

    fn last_step(&self) -> u64 {
        let steps = self.steps.last().map_or(0, |point| point.step);
        steps.max(self.epochs.last().map_or(0, |point| point.step))
    }

    fn series(&self, value: impl Fn(&MemoryPoint) -> u64) -> Vec<(f64, f64)> {
        let megabytes = |point| value(point) as f64 / units::MEGABYTE;
        let points: Vec<_> = self.steps.iter().map(|point| (point.step as f64, megabytes(point))).collect();
        thinned(&points, MOST_POINTS)
    }
}

fn equal(values: &[u64]) -> bool {
    values.windows(2).all(|pair| pair[0] == pair[1])
}

fn equal_verdict(when: &str, bytes: u64) -> String {
    format!("Live tensor bytes at the end of {when}: {}, equal to the byte", units::grouped(bytes))
}

/// Draws the memory of a run, 1600 by 1200 pixels; the title is the verdict.
///
/// # Errors
/// `Empty` without a step; `Io` when the file cannot be written.
pub fn memory_png(path: &Path, curve: &MemoryCurve) -> Result<(), ReportError> {
    if curve.steps.is_empty() {
        return Err(ReportError::Empty { path: path.to_path_buf(), what: "training step" });
    }
    let x = Axis::steps(0, curve.last_step());
    let mut panels = vec![tensor_panel(curve, &x)];
    if curve.steps.iter().any(|point| point.rss_bytes > 0) {
        panels.push(process_panel(curve, &x));
    }
    Figure { title: curve.verdict(), subtitle: subtitle(curve), panels }.save(path, 1200)
}

fn subtitle(curve: &MemoryCurve) -> String {
    let highest = |value: fn(&MemoryPoint) -> u64| curve.steps.iter().map(value).max().unwrap_or(0);
    let peak = units::bytes(highest(|p| p.peak_bytes));
    match highest(|p| p.rss_bytes) {
        0 => format!("highest peak within a step: {peak}"),
        rss => format!("highest peak within a step: {peak}; highest resident set: {}", units::bytes(rss)),
    }
}

fn tensor_panel(curve: &MemoryCurve, x: &Axis) -> Panel {
    let (peak, live) = (curve.series(|p| p.peak_bytes), curve.series(|p| p.live_bytes));
    let ends = curve.epochs.iter().map(|e| (e.step as f64, e.live_bytes as f64 / units::MEGABYTE));
    let ends: Vec<_> = ends.collect();
    let high = peak.iter().chain(&live).chain(&ends).map(|point| point.1).fold(0.0, f64::max);
    let named = |name: &str, points: &[(f64, f64)]| match points.last() {
        Some((_, value)) => format!("{name}\n{}", units::bytes((value * units::MEGABYTE).round() as u64)),
        None => String::new(),
    };
    let peak_label = named("peak within a step", &peak);
    let live_label = named("live after a step", &live);
    let ends_label = named("live at epoch ends", &ends);
    let peak = Line { width: 2.0, ..Line::solid(peak, palette::ORANGE, peak_label) };
    let live = Line::solid(live, palette::BLUE, live_label);
    let ends = Line { width: 0.0, ..Line::solid(ends, palette::INK, ends_label) }.dotted(7.0);
    Panel {
        heading: "Tensors".to_owned(),
        y_label: "MB".to_owned(),
        x_label: "step",
        x: x.clone(),
        y: Axis::from_zero(high, 5),
        lines: vec![peak, live, ends],
        weight: 2.2,
    }
}

fn process_panel(curve: &MemoryCurve, x: &Axis) -> Panel {
    let rss = curve.series(|p| p.rss_bytes);
    let last = curve.steps.last().map_or(0, |point| point.rss_bytes);
    Panel {
        heading: "Process".to_owned(),
        y_label: "MB".to_owned(),
        x_label: "step",
        x: x.clone(),
        y: Axis::from_zero(rss.iter().map(|point| point.1).fold(0.0, f64::max), 4),
        lines: vec![Line::solid(rss, palette::PURPLE, format!("resident set\n{}", units::bytes(last)))],
        weight: 1.4,
    }
}
