//! Where YOLO data sets keep images, labels and class names.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use guard_core::no_retain;
use walkdir::WalkDir;

use super::yaml::DataYaml;
use crate::data::DataError;
use crate::data::decode::is_named_as_image;
use crate::data::faults::Faults;
use crate::data::text::read_text;

/// A YOLO data set before its splits are read.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::data) struct YoloFolder {
    pub(in crate::data) root: PathBuf,
    /// The file that names the classes.
    pub(in crate::data) source: PathBuf,
    pub(in crate::data) classes: Vec<String>,
    pub(in crate::data) keypoints: bool,
    /// The places of each split: folders of images, or lists of images.
    pub(in crate::data) splits: Vec<(String, Vec<PathBuf>)>,
}

/// The layouts, for messages.
pub(in crate::data) const LOOKED_FOR: &str = "  YOLO: data.yaml with `names`, `train` and `val`; or classes.txt with images/train, images/val, labels/train \
     and labels/val";

/// Folders and the splits that they hold.
const FOLDERS: [(&str, &str); 4] = [("train", "train"), ("val", "val"), ("valid", "val"), ("test", "test")];
const PREFERRED: [&str; 4] = ["data.yaml", "data.yml", "dataset.yaml", "dataset.yml"];

/// Whether `path` is a YAML file, or a folder that holds one, or folders of images and labels.
pub(in crate::data) fn is_likely(path: &Path) -> bool {
    is_yaml(path) || yaml_in(path).is_some() || (path.join("images").is_dir() && path.join("labels").is_dir())
}

fn is_yaml(path: &Path) -> bool {
    path.is_file() && path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
}

/// The YAML file of a data set: a usual name, or the only one.
fn yaml_in(folder: &Path) -> Option<PathBuf> {
    let usual = PREFERRED.iter().map(|name| folder.join(name)).find(|path| path.is_file());
    usual.or_else(|| {
        let mut files = std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
        let only = files.by_ref().find(|path| is_yaml(path))?;
        files.all(|path| !is_yaml(&path)).then_some(only)
    })
}

impl YoloFolder {
    /// Reads `data.yaml`, or `classes.txt` where there is none.
    pub(in crate::data) fn find(path: &Path) -> Result<Self, DataError> {
        match if is_yaml(path) { Some(path.to_path_buf()) } else { yaml_in(path) } {
            Some(yaml) => Self::from_yaml(&yaml),
            None => Self::from_list(path),
        }
    }

    fn from_yaml(path: &Path) -> Result<Self, DataError> {
        let yaml = DataYaml::read(path)?;
        let exist = |places: Vec<Vec<PathBuf>>| {
            let one = |meant: Vec<PathBuf>| {
                meant.iter().find(|path| path.exists()).or(meant.first()).cloned().unwrap_or_default()
            };
            places.into_iter().map(one).collect()
        };
        let splits = yaml.splits(path).into_iter().map(|(split, places)| (split.to_owned(), exist(places)));
        Ok(Self {
            root: path.parent().unwrap_or(Path::new(".")).into(),
            source: path.into(),
            classes: yaml.classes(path)?,
            keypoints: yaml.kpt_shape.is_some(),
            splits: splits.collect(),
        })
    }

    fn from_list(root: &Path) -> Result<Self, DataError> {
        let lists = ["classes.txt", "labels/classes.txt", "obj.names"].map(|name| root.join(name));
        let Some(source) = lists.into_iter().find(|path| path.is_file()) else {
            return Err(DataError::NoClassNames { path: root.into() });
        };
        let text = read_text(&source)?;
        let names = text.lines().map(str::trim).filter(|name| !name.is_empty());
        let mut splits: Vec<_> =
            FOLDERS.iter().filter_map(|&(folder, split)| split_in(root, folder, split)).collect();
        if splits.is_empty() && root.join("images").is_dir() {
            splits.push(("all".to_owned(), vec![root.join("images")]));
        }
        let classes = names.map(str::to_owned).collect();
        Ok(Self { root: root.into(), source, classes, keypoints: false, splits })
    }

    /// The images of a split, sorted within each of its places.
    pub(super) fn images(&self, split: &str, faults: &mut Faults) -> Result<Vec<PathBuf>, DataError> {
        let Some((_, places)) = self.splits.iter().find(|(name, _)| name == split) else {
            let found = self.splits.iter().map(|(name, _)| name.clone()).collect();
            let expected = "a key of that name in data.yaml, or a folder of that name in `images`";
            return Err(DataError::NoSplit {
                split: split.into(),
                path: self.source.clone(),
                expected,
                found,
            });
        };
        let mut images = Vec::new();
        for place in places {
            images.extend(if place.is_file() { listed(place, faults)? } else { walked(place, faults)? });
        }
        match places.first() {
            Some(place) if images.is_empty() => {
                let way_out = "put images (jpg, jpeg, png, bmp or webp) there";
                Err(DataError::EmptySplit { split: split.into(), path: place.clone(), way_out })
            }
            None => {
                let way_out = "give the key of the split a folder of images";
                Err(DataError::EmptySplit { split: split.into(), path: self.source.clone(), way_out })
            }
            _ => Ok(images),
        }
    }
}

/// A split whose images lie in `images/train` or `train/images`.
fn split_in(root: &Path, folder: &str, split: &str) -> Option<(String, Vec<PathBuf>)> {
    let places = [root.join("images").join(folder), root.join(folder).join("images")];
    Some((split.to_owned(), vec![places.into_iter().find(|path| path.is_dir())?]))
}

/// The images that a text file lists, relative to its folder.
fn listed(list: &Path, faults: &mut Faults) -> Result<Vec<PathBuf>, DataError> {
    let folder = list.parent().unwrap_or(Path::new("."));
    let mut images = Vec::new();
    for (row, line) in
        read_text(list)?.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty())
    {
        let image = folder.join(line);
        if image.is_file() {
            images.push(image);
        } else {
            let field = format!("line {}", row + 1);
            faults.take(DataError::MissingImageFile { path: image, list: list.into(), field })?;
        }
    }
    Ok(images)
}

/// The images below a folder; links are followed, and a loop of links is a fault.
fn walked(folder: &Path, faults: &mut Faults) -> Result<Vec<PathBuf>, DataError> {
    if !folder.is_dir() {
        let expected = "the images of a split";
        return Err(DataError::MissingFolder { path: folder.into(), expected });
    }
    let mut images = Vec::new();
    for entry in WalkDir::new(folder).follow_links(true).sort_by_file_name() {
        match entry {
            // By name only: a folder that is named like an image is a fault to be seen.
            Ok(entry) if is_named_as_image(entry.path()) => images.push(entry.into_path()),
            Ok(_) => {}
            Err(error) => {
                let path = error.path().unwrap_or(folder).to_path_buf();
                faults.take(DataError::Read { path, source: error.into() })?;
            }
        }
    }
    Ok(images)
}

/// The label file of an image: in the folder `labels` beside the last folder `images`, else beside the image.
pub(super) fn label_path(image: &Path) -> PathBuf {
    let parts: Vec<Component<'_>> = image.components().collect();
    let folders = &parts[..parts.len().saturating_sub(1)];
    let images = folders.iter().rposition(|part| part.as_os_str() == "images");
    let swap = |(place, part): (usize, &Component<'_>)| match Some(place) == images {
        true => OsStr::new("labels").to_owned(),
        false => part.as_os_str().to_owned(),
    };
    let path: PathBuf = parts.iter().enumerate().map(swap).collect();
    path.with_extension("txt")
}

/// The label files in a folder.
pub(super) fn label_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let is_label = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "txt") && !path.ends_with("classes.txt")
    };
    paths.filter(is_label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_lie_beside_the_last_folder_of_images() {
        let label = |image| label_path(Path::new(image));
        assert_eq!(label("images/x/images/train/a.b.jpg"), Path::new("images/x/labels/train/a.b.txt"));
        assert_eq!(label("/data/train/a.png"), Path::new("/data/train/a.txt"));
        assert_eq!(label("train/images.jpg"), Path::new("train/images.txt"));
    }
}
