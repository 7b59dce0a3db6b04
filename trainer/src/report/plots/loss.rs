//! `loss.png`: the loss and its terms, AP, and the learning rate.

use std::path::Path;
use std::time::Duration;

use super::figure::Figure;
use super::loss_curves::{EpochPoint, LossCurves, LossPoint};
use super::panel::{Line, Panel};
use super::smooth::{quantile, smoothed, thinned};
use super::ticks::Axis;
use crate::report::{ReportError, palette, units};

/// More points than this cannot be told apart at the width of the figure.
const MOST_POINTS: usize = 2400;

/// Draws loss, AP and learning rate, 1600 by 1400 pixels.
///
/// Runs without an epoch end have no AP panel. Losses that are not finite are left out, and the
/// subtitle names the first such step.
///
/// # Errors
/// `Empty` without a step; `Io` when the file cannot be written.
pub fn loss_png(path: &Path, curves: &LossCurves) -> Result<(), ReportError> {
    if curves.steps.is_empty() {
        return Err(ReportError::Empty { path: path.to_path_buf(), what: "training step" });
    }
    let x = Axis::steps(0, curves.last_step());
    let mut panels = vec![loss_panel(curves, &x)];
    if !curves.epochs.is_empty() {
        panels.push(ap_panel(curves, &x));
    }
    panels.push(lr_panel(curves, &x));
    Figure { title: title(curves), subtitle: subtitle(curves), panels }.save(path, 1400)
}

fn title(curves: &LossCurves) -> String {
    let steps = units::counted(curves.last_step(), "step");
    match curves.epochs.last() {
        Some(last) => {
            let epochs = units::counted(last.epoch + 1, "epoch");
            format!("AP {:.3}, AP50 {:.3} after {epochs} ({steps})", last.ap, last.ap50)
        }
        None => format!("Training loss over {steps}"),
    }
}

fn subtitle(curves: &LossCurves) -> String {
    let diverged = curves.steps.iter().find(|point| !point.loss.is_finite());
    if let Some(point) = diverged {
        return format!("the loss is not a finite number at step {}", units::grouped(point.step));
    }
    let best = curves.epochs.iter().filter(|epoch| epoch.ap.is_finite()).max_by(|a, b| a.ap.total_cmp(&b.ap));
    match (best, curves.epochs.last()) {
        (Some(best), Some(last)) => {
            let time = Duration::try_from_secs_f64(last.seconds).unwrap_or_default();
            let time = units::duration(time);
            format!("best AP {:.3} at epoch {}; {time} in all, evaluations included", best.ap, best.epoch + 1)
        }
        _ => "no epoch is evaluated yet".to_owned(),
    }
}

fn loss_panel(curves: &LossCurves, x: &Axis) -> Panel {
    let solid = [
        smooth_line(curves, "vfl", palette::PURPLE, |p| p.vfl),
        smooth_line(curves, "bbox", palette::GREEN, |p| p.bbox),
        smooth_line(curves, "giou", palette::ORANGE, |p| p.giou),
        smooth_line(curves, "total", palette::BLUE, |p| p.loss),
    ];
    let raw = Line::faint(thinned(&curves.series(|p| p.loss), MOST_POINTS), palette::BLUE);
    Panel {
        heading: "Training loss".to_owned(),
        y_label: "sum over all outputs; faint: each step, solid: smoothed".to_owned(),
        x_label: "step",
        x: x.clone(),
        y: Axis::from_zero(loss_high(curves, &solid), 5),
        lines: std::iter::once(raw).chain(solid).collect(),
        weight: 3.2,
    }
}

fn smooth_line(curves: &LossCurves, name: &str, color: palette::Rgb, value: fn(&LossPoint) -> f64) -> Line {
    let window = (curves.steps.len() / 30).max(5);
    let points = smoothed(&curves.series(value), window, MOST_POINTS);
    let label = match points.last() {
        Some((_, last)) => format!("{name} {last:.2}"),
        None => name.to_owned(),
    };
    Line::solid(points, color, label)
}

/// The top of the axis: a few wild first steps must not flatten the rest.
fn loss_high(curves: &LossCurves, smooth: &[Line]) -> f64 {
    let most_steps = quantile(curves.steps.iter().map(|p| p.loss), 0.99).unwrap_or(0.0);
    smooth.iter().flat_map(|line| &line.points).map(|point| point.1).fold(most_steps, f64::max)
}

fn ap_panel(curves: &LossCurves, x: &Axis) -> Panel {
    let places: Vec<_> = curves.epochs.iter().map(|e| (e.step as f64, units::grouped(e.epoch + 1))).collect();
    let radius = if curves.epochs.len() > 60 { 0.0 } else { 6.0 };
    let line = |name: &str, color, value: fn(&EpochPoint) -> f64| {
        let points: Vec<_> = curves.epochs.iter().map(|e| (e.step as f64, value(e))).collect();
        let last = points.last().map_or(f64::NAN, |point| point.1);
        Line::solid(points, color, format!("{name} {last:.3}")).dotted(radius)
    };
    Panel {
        heading: "Average precision".to_owned(),
        y_label: "COCO, on the val split, after each epoch".to_owned(),
        x_label: "epoch",
        x: x.with_ticks(&places, 20),
        y: Axis::from_zero(0.96, 5),
        lines: vec![
            line("AP50", palette::GREEN, |e| e.ap50),
            line("AP75", palette::ORANGE, |e| e.ap75),
            line("AP", palette::BLUE, |e| e.ap),
        ],
        weight: 2.6,
    }
}

fn lr_panel(curves: &LossCurves, x: &Axis) -> Panel {
    let points = curves.series(|p| p.lr);
    let high = points.iter().map(|(_, lr)| *lr).fold(0.0, f64::max);
    let last = points.last().map_or(0.0, |point| point.1);
    let label = units::learning_rate(last);
    Panel {
        heading: "Learning rate".to_owned(),
        y_label: String::new(),
        x_label: "step",
        x: x.clone(),
        y: Axis::scientific(high, 3),
        lines: vec![Line::solid(thinned(&points, MOST_POINTS), palette::GREY, label)],
        weight: 1.6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(step: u64, loss: f64) -> LossPoint {
        LossPoint { step, loss, vfl: 1.0, bbox: 1.0, giou: 1.0, lr: 1e-4 }
    }

    fn epoch(epoch: u64, ap: f64) -> EpochPoint {
        EpochPoint { epoch, step: 40 * (epoch + 1), ap, ap50: ap + 0.2, ap75: ap, seconds: 723.0 }
    }

    #[test]
    fn the_titles_state_the_result() {
        let epochs = vec![epoch(0, 0.5), epoch(1, 0.72), epoch(2, 0.71)];
        let curves = LossCurves { steps: vec![point(40, 9.0)], epochs };
        assert_eq!(title(&curves), "AP 0.710, AP50 0.910 after 3 epochs (120 steps)");
        assert_eq!(subtitle(&curves), "best AP 0.720 at epoch 2; 12 min 03 s in all, evaluations included");
    }

    #[test]
    fn divergence_is_told() {
        let curves = LossCurves { steps: vec![point(1, 9.0), point(2, f64::NAN)], epochs: Vec::new() };
        assert_eq!(subtitle(&curves), "the loss is not a finite number at step 2");
    }
}
