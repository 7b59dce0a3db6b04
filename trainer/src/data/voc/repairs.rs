//! Counts of what a reader mended, with the first place of each.

use std::fmt;
use std::path::PathBuf;

use guard_core::no_retain;

/// Where a value stands in an annotation file.
#[no_retain]
#[derive(Debug)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    pub(super) line: u32,
    pub(super) field: &'static str,
}

/// How often something was mended.
#[no_retain]
#[derive(Debug, Default)]
pub(super) struct Tally {
    times: usize,
    first: Option<Place>,
}

impl Tally {
    pub(super) fn count(&mut self, place: impl FnOnce() -> Place) {
        self.times += 1;
        self.first.get_or_insert_with(place);
    }
}

/// Everything a reader mended; displays as the tail of a summary line, empty when nothing was.
#[no_retain]
#[derive(Debug, Default)]
pub(super) struct Repairs {
    pub(super) clipped: Tally,
    pub(super) dropped: Tally,
    pub(super) unsized_images: Tally,
}

impl fmt::Display for Repairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = [
            (&self.clipped, "boxes clipped to the image"),
            (&self.dropped, "boxes without area dropped"),
            (&self.unsized_images, "sizes of 0 taken from the image"),
        ];
        for (tally, what) in rows {
            let Some(Place { path, line, field }) = &tally.first else { continue };
            write!(f, "; {what}: {} (first: `{}` line {line} {field})", tally.times, path.display())?;
        }
        Ok(())
    }
}
