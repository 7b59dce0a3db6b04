//! The layout of a Pascal VOC folder and the lists of its splits.

use std::path::{Path, PathBuf};

use crate::data::{DataError, decode::ENDINGS, faults::Faults, names::is_plain, text::read_text};

/// The files of one image.
pub(super) struct Entry {
    /// As the list writes it.
    pub(super) name: String,
    pub(super) image: PathBuf,
    pub(super) annotation: PathBuf,
}

const LISTS: &str = "ImageSets/Main";
const LAYOUT: [(&str, &str); 4] = [
    ("", "a Pascal VOC data set (Annotations, ImageSets/Main, JPEGImages)"),
    ("Annotations", "one XML file an image"),
    (LISTS, "one list of image names a split, such as train.txt"),
    ("JPEGImages", "the images"),
];

/// The files of every image that the list of `split` names, in its order.
pub(super) fn entries(root: &Path, split: &str, faults: &mut Faults) -> Result<Vec<Entry>, DataError> {
    let found = available(root)?;
    let path = list(root, split);
    if !found.iter().any(|name| name == split) {
        return Err(DataError::MissingSplit { split: split.into(), path, found });
    }
    let text = read_text(&path)?;
    // A list of one class has a second column, 1 or -1; the name is the first.
    let names =
        text.lines().enumerate().filter_map(|(row, line)| Some((row + 1, line.split_whitespace().next()?)));
    let mut named = 0;
    let mut entries = Vec::new();
    for (line, name) in names {
        named += 1;
        entries.extend(faults.pass(entry(root, &path, line, name))?);
    }
    if named == 0 {
        let way_out = "write one image name per line, without extension";
        return Err(DataError::EmptySplit { split: split.into(), path, way_out });
    }
    Ok(entries)
}

/// The list of a split.
pub(super) fn list(root: &Path, split: &str) -> PathBuf {
    root.join(LISTS).join(format!("{split}.txt"))
}

/// Names of the lists, sorted.
pub(super) fn available(root: &Path) -> Result<Vec<String>, DataError> {
    for (folder, expected) in LAYOUT {
        let path = if folder.is_empty() { root.to_path_buf() } else { root.join(folder) };
        if !path.is_dir() {
            return Err(DataError::MissingFolder { path, expected });
        }
    }
    let folder = root.join(LISTS);
    let read = |source| DataError::Read { path: folder.clone(), source };
    let mut names = Vec::new();
    for file in std::fs::read_dir(&folder).map_err(read)? {
        let path = file.map_err(read)?.path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}

fn entry(root: &Path, list: &Path, line: usize, name: &str) -> Result<Entry, DataError> {
    if !is_plain(name) {
        let (path, field) = (list.to_path_buf(), format!("line {line}"));
        return Err(DataError::UnsafeName { path, field, found: name.into() });
    }
    // Joined as text: a dot in the name is no extension.
    let file = |folder: &str, extension: &str| root.join(folder).join(format!("{name}.{extension}"));
    let endings = ENDINGS.iter().flat_map(|ending| [(*ending).to_owned(), ending.to_uppercase()]);
    let mut candidates = endings.map(|ending| file("JPEGImages", &ending));
    let Some(image) = candidates.find(|path| path.is_file()) else {
        let path = root.join("JPEGImages").join(name);
        return Err(DataError::MissingImage { name: name.into(), list: list.into(), line, path });
    };
    Ok(Entry { name: name.into(), image, annotation: file("Annotations", "xml") })
}
