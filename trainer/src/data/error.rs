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
    #[error("split `{split}` is empty: `{}` names no image; {way_out}", path.display())]
    EmptySplit {
        /// The split that was asked for.
        split: String,
        /// Its list or folder.
        path: PathBuf,
        /// What to write there.
        way_out: &'static str,
    },
    /// A data set has no split of that name.
    #[error("no split `{split}` in `{}`: expected {expected}; splits found: {}", path.display(), listed(found))]
    NoSplit {
        /// The split that was asked for.
        split: String,
        /// The data set.
        path: PathBuf,
        /// Where such a split would be.
        expected: &'static str,
        /// Names of the splits that are there.
        found: Vec<String>,
    },
    /// A split is there twice.
    #[error("split `{split}` is ambiguous: both `{}` and `{}` could be meant; take one out of the folder", first.display(), second.display())]
    TwoSplits {
        /// Its name.
        split: String,
        /// One file.
        first: PathBuf,
        /// Another file.
        second: PathBuf,
    },
    /// A path is none of the layouts that are known.
    #[error("`{}` is no data set that is known here: {found}.\nLooked for:\n{expected}", path.display())]
    UnknownLayout {
        /// The path.
        path: PathBuf,
        /// What is there.
        found: String,
        /// The layouts, one a line.
        expected: String,
    },
    /// A path is several layouts at once.
    #[error("`{}` holds several data sets: {}; name the kind to read, such as `{}:{}`", path.display(), listed(kinds), kinds[0], path.display())]
    SeveralLayouts {
        /// The path.
        path: PathBuf,
        /// Their kinds.
        kinds: Vec<String>,
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
    #[error("image `{name}` (`{}` line {line}) is missing: expected `{}` with the extension jpg, jpeg, png, bmp or webp; add it or take the line out", list.display(), path.display())]
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
    /// An image that an annotation file names is not there.
    #[error("image `{}` is missing: `{}` names it in `{field}`; add the file or take the entry out", path.display(), list.display())]
    MissingImageFile {
        /// Where the image should be.
        path: PathBuf,
        /// The annotation file.
        list: PathBuf,
        /// Path of the entry, such as `images[3].file_name`.
        field: String,
    },
    /// None of the folders that could hold the images does.
    #[error("the images of `{}` are not found: the first is named `{name}`, which none of these folders holds: {}", list.display(), listed(tried))]
    NoImageFolder {
        /// The annotation file.
        list: PathBuf,
        /// Name of the first image.
        name: String,
        /// The folders that were tried.
        tried: Vec<String>,
    },
    /// A file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A text file is in another encoding.
    #[error("`{}` line {line} is not UTF-8 ({found}); save the file as UTF-8", path.display())]
    Encoding {
        /// The file.
        path: PathBuf,
        /// Line of the first wrong byte, from 1.
        line: usize,
        /// The byte, or the encoding when it is known.
        found: String,
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
    /// A place in an annotation file is missing or holds something else than expected.
    #[error("`{}` line {line}: `{field}` is {found}, expected {expected}", path.display())]
    Field {
        /// The annotation file.
        path: PathBuf,
        /// Line of the value (of what should hold it when it is missing), from 1.
        line: u32,
        /// Name of the value, such as `<object><bndbox><xmin>` or `class`.
        field: String,
        /// What stands there, or `missing`.
        found: String,
        /// What should stand there.
        expected: String,
    },
    /// A JSON file is damaged.
    #[error("`{}` is not valid JSON: {reason}; {way_out}", path.display())]
    JsonSyntax {
        /// The file.
        path: PathBuf,
        /// What the parser said, with line and column.
        reason: String,
        /// What to look for.
        way_out: &'static str,
    },
    /// A YAML file is damaged, or a key holds something else than expected.
    #[error("`{}` cannot be read as YAML: {reason}", path.display())]
    YamlSyntax {
        /// The file.
        path: PathBuf,
        /// What the parser said, with line and column.
        reason: String,
    },
    /// A YOLO folder does not say what its classes are called.
    #[error("`{}` names no classes: add a `data.yaml` with `names: [cat, dog]`, `train: images/train` and `val: images/val`, or a `classes.txt` with one name per line", path.display())]
    NoClassNames {
        /// The folder.
        path: PathBuf,
    },
    /// Not one image of a split has a label file.
    #[error("none of {images} images has a label file in `{}`: expected `{}` for the first; labels lie in `labels` beside `images`", path.display(), labels.display())]
    NoLabels {
        /// The folder that was looked into.
        path: PathBuf,
        /// The label file of the first image.
        labels: PathBuf,
        /// Images of the split.
        images: usize,
    },
    /// A value of a JSON or YAML file is missing or of another kind than expected.
    #[error("`{}`: `{field}` is wrong: {reason}", path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// Path of the value, such as `annotations[3].bbox`.
        field: String,
        /// What is wrong and what should stand there.
        reason: String,
    },
    /// A name in an annotation file leads out of the data set.
    #[error("`{}`: `{field}` is `{found}`: names of images are relative to the image folder and do not leave it; take out `..` and what makes it absolute", path.display())]
    UnsafeName {
        /// The file.
        path: PathBuf,
        /// Path of the name, such as `images[3].file_name`.
        field: String,
        /// The name.
        found: String,
    },
    /// The annotated size is not the size of the image, so the boxes cannot be trusted.
    #[error("`{}` {spot} says {}x{}, but `{}` is {}x{}; correct the size and the boxes", path.display(), found[0], found[1], image.display(), expected[0], expected[1])]
    SizeMismatch {
        /// The annotation file.
        path: PathBuf,
        /// Where it stands in the file.
        spot: String,
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
