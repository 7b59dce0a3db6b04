//! The report as text.

use std::fmt::{self, Formatter};

use super::counts::Counts;
use super::{CheckReport, Histogram, SamePicture, SplitReport};

/// Messages of one kind that are shown before the rest is only counted.
const SHOWN: usize = 10;
/// Characters of the longest bar.
const BAR: usize = 40;

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.data_set)?;
        self.splits.iter().try_for_each(|split| write!(f, "\n{split}"))?;
        let heading = "pictures in two splits (the evaluation sees what was trained on)";
        pairs(f, heading, &self.shared_pictures)?;
        verdict(f, self)
    }
}

fn verdict(f: &mut Formatter<'_>, report: &CheckReport) -> fmt::Result {
    let faults: usize = report.splits.iter().map(SplitReport::faults_in_all).sum();
    let missing = report.missing_splits.join("` and `");
    match faults {
        0 if missing.is_empty() => writeln!(f, "\nready to train: no fault found"),
        0 => writeln!(
            f,
            "\nno fault found, but there is no split `{missing}`: `trainer train` needs train and val"
        ),
        _ => writeln!(f, "\nnot ready to train: {faults} faults to mend"),
    }
}

impl fmt::Display for SplitReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "== {}", self.name)?;
        if let Some(counts) = &self.counts {
            write!(f, "{counts}")?;
        }
        for (repair, tally) in self.repairs.iter() {
            messages(f, &format!("mended: {}", repair.text()), &tally.places, tally.times)?;
        }
        pairs(f, "the same picture twice", &self.repeated_pictures)?;
        messages(f, "faults in the annotations", &self.faults, self.faults.len())?;
        messages(f, "images that cannot be used", &self.unreadable, self.unreadable.len())
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { images, empty_images, objects, crowds, repeated_objects, .. } = self;
        writeln!(f, "{images} images ({empty_images} without objects), {objects} objects, {crowds} crowds")?;
        let width = self.classes.iter().map(|class| class.name.chars().count()).max().unwrap_or(0).max(5);
        writeln!(
            f,
            "{:width$} {:>9} {:>9} {:>9} {:>9} {:>9}",
            "class", "objects", "images", "small", "medium", "large"
        )?;
        for class in &self.classes {
            write!(f, "{:width$} {:>9} {:>9}", class.name, class.objects, class.images)?;
            writeln!(f, " {:>9} {:>9} {:>9}", class.small, class.medium, class.large)?;
        }
        let (busiest, largest) = (&self.busiest, &self.largest);
        if busiest.objects > 0 {
            writeln!(f, "busiest image: {} objects in {}", busiest.objects, busiest.image)?;
        }
        writeln!(f, "largest image: {}x{} in {}", largest.size[0], largest.size[1], largest.image)?;
        if *repeated_objects > 0 {
            writeln!(f, "objects that repeat another (same class, same box): {repeated_objects}")?;
        }
        self.histograms.iter().try_for_each(|histogram| write!(f, "{histogram}"))
    }
}

impl fmt::Display for Histogram {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let rows = self.rows();
        let most = self.counts.iter().max().copied().unwrap_or(0).max(1);
        if !rows.is_empty() {
            writeln!(f, "{}", self.title)?;
        }
        rows.iter().try_for_each(|(range, count)| {
            // A bar that is not empty shows that the range is not.
            let bar = "#".repeat((count * BAR).div_ceil(most));
            writeln!(f, "{}", format!("  {range:>14} {count:>9} {bar}").trim_end())
        })
    }
}

/// The first of `messages`, of which there are `times` in all.
fn messages(f: &mut Formatter<'_>, heading: &str, messages: &[String], times: usize) -> fmt::Result {
    if messages.is_empty() {
        return Ok(());
    }
    writeln!(f, "{heading}: {times}")?;
    messages.iter().take(SHOWN).try_for_each(|message| writeln!(f, "  {message}"))?;
    match times.saturating_sub(SHOWN) {
        0 => Ok(()),
        rest => writeln!(f, "  and {rest} more"),
    }
}

fn pairs(f: &mut Formatter<'_>, heading: &str, pairs: &[SamePicture]) -> fmt::Result {
    let lines: Vec<String> = pairs.iter().map(|pair| format!("{} = {}", pair.first, pair.second)).collect();
    messages(f, heading, &lines, lines.len())
}
