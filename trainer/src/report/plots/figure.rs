//! A page of panels, one below the other, under a title.

use std::path::Path;

use super::panel::Panel;
use crate::report::ReportError;
use crate::report::canvas::Canvas;

/// Width of every figure in pixels.
const WIDTH: u32 = 1600;
/// Room for the tick labels of the y axis.
const LEFT: f32 = 120.0;
/// Room for the labels of the curves.
const RIGHT: f32 = 320.0;
const TOP: f32 = 150.0;
const BOTTOM: f32 = 16.0;
const GAP: f32 = 22.0;

/// Panels under a title that says what they show.
pub(super) struct Figure {
    pub(super) title: String,
    pub(super) subtitle: String,
    pub(super) panels: Vec<Panel>,
}

impl Figure {
    /// Draws the figure `height` pixels high and writes it as PNG.
    pub(super) fn save(&self, path: &Path, height: u32) -> Result<(), ReportError> {
        let mut canvas = Canvas::new(WIDTH, height);
        canvas.heading(&self.title, &self.subtitle, 40.0, [52.0, 99.0]);
        self.draw_panels(&mut canvas);
        canvas.save_png(path)
    }

    fn draw_panels(&self, canvas: &mut Canvas) {
        let weights: f32 = self.panels.iter().map(|panel| panel.weight).sum();
        let gaps = GAP * (self.panels.len() as f32 - 1.0);
        let room = canvas.height() - TOP - BOTTOM - gaps;
        let right = canvas.width() - RIGHT;
        let mut top = TOP;
        for panel in &self.panels {
            let bottom = top + room * panel.weight / weights;
            panel.draw(canvas, [LEFT, top, right, bottom]);
            top = bottom + GAP;
        }
    }
}
