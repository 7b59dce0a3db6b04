//! The progress bar, and the plain lines that stand in for it where no terminal looks on.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use guard_core::no_retain;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{Pace, units};

/// The finished part, its edge, the part ahead.
const BAR_CHARS: &str = "━╸─";

/// What a training step reports.
#[no_retain]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepStatus {
    /// Sum of all weighted loss terms.
    pub loss: f64,
    /// Learning rate of the first parameter group.
    pub lr: f64,
    /// Images of the batch.
    pub images: usize,
    /// Live tensor bytes at the end of the step.
    pub live_bytes: u64,
}

/// Where a run stands, told on stderr.
#[no_retain]
#[derive(Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
    every: u64,
    epochs: u64,
    epoch: u64,
    steps: u64,
    step: u64,
    last_step: Instant,
    pace: Pace,
}

impl Progress {
    /// A bar on a terminal, or one line every `every` steps elsewhere.
    ///
    /// `epochs`: epochs of the whole run. `every` = 0 prints only the last step of an epoch.
    pub fn new(epochs: u64, every: u64) -> Self {
        Self::with_bar(std::io::stderr().is_terminal().then(new_bar), epochs, every)
    }

    /// As `new`, but always with plain lines.
    pub fn plain(epochs: u64, every: u64) -> Self {
        Self::with_bar(None, epochs, every)
    }

    fn with_bar(bar: Option<ProgressBar>, epochs: u64, every: u64) -> Self {
        Self {
            bar,
            every,
            epochs,
            epoch: 0,
            steps: 0,
            step: 0,
            last_step: Instant::now(),
            pace: Pace::default(),
        }
    }

    /// Starts epoch `epoch` (from 0) of `steps` steps; the clock of its first step starts here.
    pub fn start_epoch(&mut self, epoch: u64, steps: u64) {
        (self.epoch, self.steps, self.step) = (epoch, steps, 0);
        self.last_step = Instant::now();
        if let Some(bar) = &self.bar {
            bar.reset();
            bar.set_length(steps);
            bar.set_prefix(self.epoch_name());
            // Hidden until here, so that no bar without a length flashes up.
            if bar.is_hidden() {
                bar.set_draw_target(ProgressDrawTarget::stderr());
            }
        }
    }

    /// Counts the first `steps` steps of the epoch as done: those before a resumed run was stopped.
    pub fn skip(&mut self, steps: u64) {
        self.step = steps;
        if let Some(bar) = &self.bar {
            bar.set_position(steps);
        }
    }

    /// Counts a finished step and shows it.
    pub fn step(&mut self, status: &StepStatus) {
        let now = Instant::now();
        let line = self.advance(status, now - self.last_step);
        self.last_step = now;
        match (&self.bar, line) {
            (Some(bar), _) => {
                bar.set_position(self.step);
                bar.set_message(self.status_text(status));
            }
            (None, Some(line)) => eprintln!("{line}"),
            (None, None) => {}
        }
    }

    /// Counts a step that took `time`; returns the plain line that is due, if one is.
    ///
    /// `step` calls it with the measured time; on its own it shows nothing.
    pub fn advance(&mut self, status: &StepStatus, time: Duration) -> Option<String> {
        self.step += 1;
        self.pace.step(time, status.images);
        let due = self.step == self.steps || (self.every > 0 && self.step.is_multiple_of(self.every));
        due.then(|| {
            let width = self.steps.to_string().len();
            let place = format!("{}  step {:>width$}/{}", self.epoch_name(), self.step, self.steps);
            format!("{place}  {}", self.status_text(status))
        })
    }

    /// Ends the epoch with its summary, such as the AP; the time since its last step counts as evaluation.
    pub fn finish_epoch(&mut self, summary: &str) {
        self.pace.evaluation(self.last_step.elapsed());
        self.println(&format!("{}  {summary}", self.epoch_name()));
        if let Some(bar) = self.bar.as_ref().filter(|_| self.epoch + 1 == self.epochs) {
            bar.finish_and_clear();
        }
    }

    /// Says what goes on between the steps, such as `evaluating`; plain output leaves it out.
    pub fn note(&self, text: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(text.to_owned());
        }
    }

    /// Prints a line above the bar.
    pub fn println(&self, line: &str) {
        match &self.bar {
            // `ProgressBar::println` drops the line once the bar is finished or hidden.
            Some(bar) => bar.suspend(|| eprintln!("{line}")),
            None => eprintln!("{line}"),
        }
    }

    /// Images per second over the last steps.
    pub fn images_per_second(&self) -> f64 {
        self.pace.images_per_second()
    }

    fn epoch_name(&self) -> String {
        let width = self.epochs.to_string().len();
        format!("epoch {:>width$}/{}", self.epoch + 1, self.epochs)
    }

    fn status_text(&self, status: &StepStatus) -> String {
        let epochs_left = self.epochs.saturating_sub(self.epoch + 1);
        let steps_left = self.steps.saturating_sub(self.step) + epochs_left * self.steps;
        let eta = self.pace.remaining(steps_left, epochs_left + 1).map_or("?".to_owned(), units::duration);
        format!(
            "loss {:.3}  lr {}  {:.1} images/s  live {}  eta {eta}",
            status.loss,
            units::learning_rate(status.lr),
            self.pace.images_per_second(),
            units::bytes(status.live_bytes),
        )
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        // An interrupted run must not leave half a bar above the error message.
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn new_bar() -> ProgressBar {
    let bar = ProgressBar::hidden();
    // The wide elements fit themselves to the terminal: neither line wraps.
    let style = ProgressStyle::with_template("{prefix} {wide_bar:.cyan/dim} {pos}/{len}\n{wide_msg}")
        .expect("the template is valid");
    bar.with_style(style.progress_chars(BAR_CHARS))
}
