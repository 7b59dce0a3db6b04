//! Counts of what a reader mended, with the first places of each.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use guard_core::no_retain;
use serde::Serialize;

/// Something that was mended without guessing, or left out, while a data set was read.
#[no_retain]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Repair {
    /// A box reaches beyond its image and was cut.
    Clipped,
    /// A box has no width or no height, or is inverted, and was dropped.
    NoArea,
    /// A box lies beside its image and was dropped.
    Outside,
    /// An annotation gives no size; the image's own was taken.
    SizeTaken,
    /// The `area` of an object is no area; that of the box was taken.
    AreaTaken,
    /// An annotation belongs to an image that is not listed.
    ImageNotListed,
    /// An annotation has the id of an earlier one; both were kept.
    RepeatedId,
    /// Two categories have one name and became one class.
    CategoriesMerged,
    /// An image has no label file and counts as one without objects.
    NoLabelFile,
    /// A label file has no image and was left out.
    NoImageFile,
    /// An image is listed a second time and was taken once.
    RepeatedImage,
}

impl Repair {
    /// What happened, in the plural.
    pub fn text(self) -> &'static str {
        match self {
            Self::Clipped => "boxes clipped to the image",
            Self::NoArea => "boxes without area dropped",
            Self::Outside => "boxes outside the image dropped",
            Self::SizeTaken => "sizes of 0 taken from the image",
            Self::AreaTaken => "areas below 0 replaced by that of the box",
            Self::ImageNotListed => "annotations of images that are not listed left out",
            Self::RepeatedId => "annotations under an id that is taken kept",
            Self::CategoriesMerged => "categories of one name merged",
            Self::NoLabelFile => "images without a label file taken as empty",
            Self::NoImageFile => "label files without an image left out",
            Self::RepeatedImage => "images listed twice taken once",
        }
    }
}

/// Places that a tally keeps.
const PLACES: usize = 10;

/// How often something was mended.
#[no_retain]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Times.
    pub times: usize,
    /// File and field of the first ten times.
    pub places: Vec<String>,
}

/// Everything a reader mended; displays as the tail of a summary line, empty when nothing was.
#[no_retain]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Repairs {
    tallies: BTreeMap<Repair, Tally>,
}

impl Repairs {
    /// Counts `repair`, made at `spot` of `file`.
    pub(super) fn count(&mut self, repair: Repair, file: &Path, spot: impl FnOnce() -> String) {
        let tally = self.tallies.entry(repair).or_default();
        tally.times += 1;
        if tally.places.len() < PLACES {
            tally.places.push(format!("`{}` {}", file.display(), spot()).trim_end().to_owned());
        }
    }

    /// Times that `repair` was made.
    pub fn times(&self, repair: Repair) -> usize {
        self.tallies.get(&repair).map_or(0, |tally| tally.times)
    }

    /// What was mended, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = (Repair, &Tally)> {
        self.tallies.iter().map(|(&repair, tally)| (repair, tally))
    }
}

impl fmt::Display for Repairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|(repair, Tally { times, places })| {
            write!(f, "; {}: {times} (first: {})", repair.text(), places[0])
        })
    }
}
