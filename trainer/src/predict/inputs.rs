//! Which files are predicted on, and what the pictures of their results are called.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use guard_core::no_retain;
use image::ImageFormat;
use walkdir::{DirEntry, WalkDir};

use super::PredictError;
use crate::data::decode::{ENDINGS, is_named_as_image};

/// An image file.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Where it is.
    pub path: PathBuf,
    /// Path of its picture below the output folder, unique among all inputs; ends in `png`, `jpg` or `jpeg`.
    pub picture: PathBuf,
}

/// The files among `paths`, and the images in the folders among them and below those, in the order of their names.
///
/// `skipped`, the output folder, is left out, so that a second run does not read the pictures of the first. What is
/// hidden is left out too. A file that is named is taken whatever its ending; one that is not there shows when it is
/// read.
///
/// # Errors
/// `List` for a folder that cannot be listed; `NoImages` when nothing is found.
pub fn find_inputs(paths: &[PathBuf], skipped: Option<&Path>) -> Result<Vec<Input>, PredictError> {
    let skipped = skipped.and_then(|folder| folder.canonicalize().ok());
    let mut found = Vec::new();
    for path in paths {
        match path.is_dir() {
            true => found.extend(images_in(path, skipped.as_deref())?),
            false => found.push((path.clone(), path.file_name().map(PathBuf::from).unwrap_or_default())),
        }
    }
    if found.is_empty() {
        let named: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        return Err(PredictError::NoImages { named: named.join(", "), expected: ENDINGS.join(", ") });
    }
    let mut taken = HashSet::new();
    let input = |(path, name)| Input { path, picture: unique(picture_name(name), &mut taken) };
    Ok(found.into_iter().map(input).collect())
}

/// Checks that none of `outputs` is one of `inputs`.
///
/// # Errors
/// `Overwrites` with the first that is.
pub fn refuse_overwriting<'a>(
    inputs: &[Input],
    outputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), PredictError> {
    // Both the entry that was named and, where that is a link, the file behind it.
    let entries = inputs.iter().flat_map(|input| [entry(&input.path), input.path.canonicalize().ok()]);
    let entries: HashSet<PathBuf> = entries.flatten().collect();
    let clash = |output: &&Path| entry(output).is_some_and(|entry| entries.contains(&entry));
    match outputs.into_iter().find(clash) {
        Some(path) => Err(PredictError::Overwrites { path: path.to_owned() }),
        None => Ok(()),
    }
}

/// The images in `folder` and in the folders below, with their names from there; links to folders are not followed.
fn images_in(folder: &Path, skipped: Option<&Path>) -> Result<Vec<(PathBuf, PathBuf)>, PredictError> {
    let is_skipped = |entry: &DirEntry| {
        let hidden = entry.depth() > 0 && entry.file_name().as_encoded_bytes().starts_with(b".");
        let is_output =
            || entry.file_type().is_dir() && entry.path().canonicalize().ok().as_deref() == skipped;
        hidden || skipped.is_some() && is_output()
    };
    let mut found = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name().into_iter().filter_entry(|e| !is_skipped(e)) {
        let path = entry.map_err(|cause| PredictError::List { cause: cause.into() })?.into_path();
        if is_named_as_image(&path) && path.is_file() {
            let name = path.strip_prefix(folder).expect("an entry lies in its folder").to_owned();
            found.push((path, name));
        }
    }
    Ok(found)
}

/// The name of the picture: that of the image, with `.png` added when it does not end as a JPEG or PNG does.
fn picture_name(mut name: PathBuf) -> PathBuf {
    if !matches!(ImageFormat::from_path(&name), Ok(ImageFormat::Jpeg | ImageFormat::Png)) {
        let mut longer = name.file_name().map_or_else(|| "image".into(), OsString::from);
        longer.push(".png");
        name.set_file_name(longer);
    }
    name
}

/// `name`, or with `-2`, `-3`, … before its ending; some file systems do not tell upper from lower case.
fn unique(name: PathBuf, taken: &mut HashSet<String>) -> PathBuf {
    let numbered = (2..).map(|number| {
        let mut stem = name.file_stem().expect("a picture has a name").to_owned();
        stem.push(format!("-{number}."));
        stem.push(name.extension().expect("a picture has an ending"));
        name.with_file_name(stem)
    });
    let mut names = std::iter::once(name.clone()).chain(numbered);
    names.find(|name| taken.insert(name.to_string_lossy().to_lowercase())).expect("the numbers do not end")
}

/// The place in the file system that a path names, whether or not a file is there.
fn entry(path: &Path) -> Option<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(folder.canonicalize().ok()?.join(path.file_name()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_of_one_name_are_numbered() {
        let mut taken = HashSet::new();
        let mut name = |name: &str| unique(picture_name(name.into()), &mut taken).display().to_string();
        assert_eq!(name("a/cat.jpg"), "a/cat.jpg");
        assert_eq!(name("a/cat-2.jpg"), "a/cat-2.jpg");
        assert_eq!(name("a/cat.jpg"), "a/cat-3.jpg");
        assert_eq!(name("a/CAT.JPG"), "a/CAT-4.JPG");
        assert_eq!(name("cat.jpg"), "cat.jpg");
    }

    #[test]
    fn what_is_no_jpeg_or_png_becomes_a_png() {
        assert_eq!(picture_name("a/cat.webp".into()), Path::new("a/cat.webp.png"));
        assert_eq!(picture_name("cat".into()), Path::new("cat.png"));
        assert_eq!(picture_name("cat.JPEG".into()), Path::new("cat.JPEG"));
        assert_eq!(picture_name("".into()), Path::new("image.png"));
    }
}
