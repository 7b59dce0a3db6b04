//! What can go wrong between the disk and a batch.

use std::path::PathBuf;

use guard_core::no_retain;

/// A fault in the data or in the settings of the loader, with the facts needed to mend it.
#[no_retain]
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// A folder the layout asks for is not there.
    #[error("folder `{}` is missing: expected {expected} there", path.display())]
    MissingFolder {
        /// The folder that was looked for.
        path: PathBuf,
        /// What it should hold.
        expected: &'static str,
    },
    /// The list of a split is not there.
    #[error("split `{split}` has no list `{}`: expected one image name per line; splits found: {}", path.display(), listed(found))]
    MissingSplit {
        /// The split that was asked for.
        split: String,
        /// The list that was looked for.
        path: PathBuf,
        /// Names of the splits beside it.
        found: Vec<String>,
    },
    /// The list of a split names no image.
    #[error("split `{split}` is empty: `{}` names no image; write one image name per line, without extension", path.display())]
    EmptySplit {
        /// The split that was asked for.
        split: String,
        /// Its list.
        path: PathBuf,
    },
    /// No image of the split has an object, so no class can be found.
    #[error("no annotated object in split `{split}` of `{}`: the class list cannot be found; check the `<object>` elements", path.display())]
    NoObjects {
        /// The split that was read.
        split: String,
        /// Root folder of the data set.
        path: PathBuf,
    },
    /// A listed image has no file.
    #[error("image `{name}` (`{}` line {line}) is missing: expected `{}` with the extension jpg, jpeg or png; add it or take the line out", list.display(), path.display())]
    MissingImage {
        /// Name in the list.
        name: String,
        /// The list.
        list: PathBuf,
        /// Line in the list, from 1.
        line: usize,
        /// The file that was looked for, without extension.
        path: PathBuf,
    },
    /// A file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// An image file is broken.
    #[error("cannot decode the image `{}`: {reason}; replace the file or take it out of the split", path.display())]
    Decode {
        /// The file.
        path: PathBuf,
        /// What the decoder said.
        reason: String,
    },
    /// An annotation file is not well-formed XML.
    #[error("`{}` is not valid XML: {reason}", path.display())]
    XmlSyntax {
        /// The annotation file.
        path: PathBuf,
        /// What the parser said, with line and column.
        reason: String,
    },
    /// An element of an annotation file is missing or holds something else than expected.
    #[error("`{}` line {line}: `{field}` is {found}, expected {expected}", path.display())]
    XmlField {
        /// The annotation file.
        path: PathBuf,
        /// Line of the element (of its parent when it is missing), from 1.
        line: u32,
        /// Path of the element, such as `<object><bndbox><xmin>`.
        field: String,
        /// What stands there, or `missing`.
        found: String,
        /// What should stand there.
        expected: &'static str,
    },
    /// The annotated size is not the size of the image, so the boxes cannot be trusted.
    #[error("`{}` line {line}: `<size>` says {}x{}, but `{}` is {}x{}; correct `<size>` and the boxes", path.display(), found[0], found[1], image.display(), expected[0], expected[1])]
    SizeMismatch {
        /// The annotation file.
        path: PathBuf,
        /// Line of `<size>`, from 1.
        line: u32,
        /// The image file.
        image: PathBuf,
        /// Width and height in the annotation.
        found: [u32; 2],
        /// Width and height of the image.
        expected: [u32; 2],
    },
    /// An object's class is not in the list.
    #[error("`{}` line {line}: `<object><name>` is `{found}`, which is not one of the classes {}; add it to the list or correct the name", path.display(), listed(known))]
    UnknownClass {
        /// The annotation file.
        path: PathBuf,
        /// Line of the name, from 1.
        line: u32,
        /// The name that was found.
        found: String,
        /// The class list.
        known: Vec<String>,
    },
    /// Code that loads an image panicked.
    #[error("loading {item} panicked: {message}")]
    Panicked {
        /// Which image.
        item: String,
        /// The panic's message.
        message: String,
    },
    /// The system would not start a loader thread.
    #[error(
        "cannot start loader thread {worker}: {source}; lower `workers` (0 loads in the training thread)"
    )]
    Spawn {
        /// Number of the thread, from 0.
        worker: usize,
        /// What the system said.
        source: std::io::Error,
    },
    /// A setting is out of range.
    #[error("`{field}` is {found}, expected {expected}")]
    Setting {
        /// Name of the setting.
        field: &'static str,
        /// Its value.
        found: String,
        /// What it may be.
        expected: String,
    },
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".into() } else { names.join(", ") }
}
