//! Where COCO data sets keep their annotation files and images.

use std::path::{Path, PathBuf};

use guard_core::no_retain;

use crate::data::DataError;
use crate::data::names::{image_path, is_plain};

/// The annotation file of a split and the folders that may hold its images.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::data) struct SplitFile {
    pub(in crate::data) split: String,
    pub(in crate::data) json: PathBuf,
    pub(in crate::data) folders: Vec<PathBuf>,
}

/// The layouts, for messages.
pub(in crate::data) const LOOKED_FOR: &str = "  COCO: annotations/instances_train*.json and instances_val*.json, or train.json and val.json, beside \
     the image folders; or train/_annotations.coco.json and valid/_annotations.coco.json beside their images";

const ROBOFLOW: &str = "_annotations.coco.json";
/// Annotations of other tasks on the same images.
const OTHER_TASKS: [&str; 5] = ["captions_", "person_keypoints_", "image_info_", "panoptic_", "stuff_"];
/// Words that make a file an annotation file, besides the names of splits.
const TELLING: [&str; 4] = ["instances", "annotations", "annotation", "coco"];
/// Words and the splits that they name.
const SPLITS: [(&str, &str); 7] = [
    ("train", "train"),
    ("training", "train"),
    ("val", "val"),
    ("valid", "val"),
    ("validation", "val"),
    ("test", "test"),
    ("testing", "test"),
];

/// The splits under `root` (or of `root`, when it is an annotation file), sorted by name; empty when it is no such
/// data set.
pub(in crate::data) fn splits(root: &Path) -> Result<Vec<SplitFile>, DataError> {
    let mut found: Vec<SplitFile> = Vec::new();
    for json in candidates(root) {
        let file = split_file(root, json);
        if let Some(other) = found.iter().find(|other| other.split == file.split) {
            let (first, second) = (other.json.clone(), file.json);
            return Err(DataError::TwoSplits { split: file.split, first, second });
        }
        found.push(file);
    }
    found.sort_by(|a, b| a.split.cmp(&b.split));
    Ok(found)
}

fn candidates(root: &Path) -> Vec<PathBuf> {
    if root.is_file() {
        return vec![root.into()];
    }
    let named = |json: &PathBuf| {
        let stem = stem(json);
        let is_telling = split_in(&stem).is_some() || words(&stem).any(|word| TELLING.contains(&word));
        is_telling && !OTHER_TASKS.iter().any(|task| stem.starts_with(task))
    };
    let mut files: Vec<PathBuf> = json_files(&root.join("annotations"));
    files.extend(json_files(root));
    files.retain(named);
    files.extend(entries(root).into_iter().map(|folder| folder.join(ROBOFLOW)).filter(|json| json.is_file()));
    files
}

fn json_files(folder: &Path) -> Vec<PathBuf> {
    let is_json =
        |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json") && path.is_file();
    entries(folder).into_iter().filter(is_json).collect()
}

/// What lies in `folder`, sorted; nothing when it cannot be read.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let listed = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = listed.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase()
}

fn split_file(root: &Path, json: PathBuf) -> SplitFile {
    let beside = json.parent().unwrap_or(root).to_path_buf();
    let is_roboflow = json.file_name().is_some_and(|name| name == ROBOFLOW);
    let stem = if is_roboflow { stem(&beside) } else { stem(&json) };
    let name = stem.trim_start_matches("instances_");
    let split = split_in(name).unwrap_or(name).to_owned();
    let root = match beside.file_name() {
        Some(folder) if folder == "annotations" => beside.parent().unwrap_or(root),
        _ if root.is_file() => &beside,
        _ => root,
    };
    let named = [name, &split, "valid"].into_iter().take(if split == "val" { 3 } else { 2 });
    let mut folders: Vec<PathBuf> =
        named.flat_map(|part| [root.join(part), root.join("images").join(part)]).collect();
    folders.extend([root.join("images"), root.join("JPEGImages"), root.into()]);
    folders.insert(0, beside);
    folders.dedup();
    SplitFile { split, json, folders }
}

/// The words of a file name: `instances` and `train` of `instances_train2017`.
fn words(stem: &str) -> impl Iterator<Item = &str> {
    stem.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty())
}

/// The split that a word of the name stands for.
fn split_in(stem: &str) -> Option<&'static str> {
    words(stem).find_map(|word| SPLITS.iter().find(|(known, _)| *known == word)).map(|(_, split)| *split)
}

/// The folder that holds one of the first images.
pub(super) fn holding<'a>(
    file: &SplitFile,
    names: impl Iterator<Item = &'a str>,
) -> Result<PathBuf, DataError> {
    const TRIED: usize = 20;
    let names: Vec<&str> = names.filter(|name| is_plain(name)).take(TRIED).collect();
    if names.is_empty() {
        // Each name is refused by itself.
        return Ok(file.folders[0].clone());
    }
    let holds = |folder: &&PathBuf| names.iter().any(|name| image_path(folder, name).is_file());
    match file.folders.iter().find(holds) {
        Some(folder) => Ok(folder.clone()),
        None => Err(DataError::NoImageFolder {
            list: file.json.clone(),
            name: names[0].into(),
            tried: file.folders.iter().map(|folder| format!("`{}`", folder.display())).collect(),
        }),
    }
}
