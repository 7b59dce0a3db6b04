//! What every example writes down at the end of an epoch.

use guard_core::{memory, no_retain};
use std::fmt;

/// A measure of success and the live tensor bytes, one of each per epoch.
#[no_retain]
#[derive(Debug)]
pub struct Record {
    what: &'static str,
    values: Vec<f64>,
    live_bytes: Vec<u64>,
}

impl Record {
    /// Starts counting tensor bytes and fixes the seed; `what` names the measure.
    pub fn start(what: &'static str) -> Self {
        memory::install();
        tch::set_num_threads(1);
        tch::manual_seed(7);
        Self { what, values: Vec::new(), live_bytes: Vec::new() }
    }

    /// Notes the measure before training.
    pub fn before(&mut self, value: f64) {
        self.values.push(value);
    }

    /// Notes the measure and the live bytes after an epoch.
    pub fn epoch(&mut self, value: f64) {
        self.values.push(value);
        self.live_bytes.push(memory::live_bytes());
    }

    /// The measure before training and after the last epoch.
    pub fn change(&self) -> (f64, f64) {
        (self.values[0], *self.values.last().expect("`before` ran"))
    }

    /// The live tensor bytes at the end of each epoch.
    pub fn live_bytes(&self) -> &[u64] {
        &self.live_bytes
    }
}

impl fmt::Display for Record {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, after) = self.change();
        writeln!(out, "{}: {before:.3} before, {after:.3} after", self.what)?;
        match self.live_bytes.as_slice() {
            [first, others @ ..] if others.iter().all(|bytes| bytes == first) => {
                write!(out, "live tensor bytes at the end of each of {} epochs: {first}", others.len() + 1)
            }
            growing => write!(out, "live tensor bytes at the end of the epochs, NOT FLAT: {growing:?}"),
        }
    }
}
