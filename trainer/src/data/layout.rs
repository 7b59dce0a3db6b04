//! Which kind of data set lies at a path.

use std::fmt;
use std::path::{Path, PathBuf};

use guard_core::no_retain;

use super::faults::Faults;
use super::names::folder_name;
use super::{DataError, FileSet, coco, voc, yolo};

/// A kind of annotations.
#[no_retain]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Pascal VOC: an XML file for each image.
    Voc,
    /// COCO: a JSON file for each split.
    Coco,
    /// YOLO: a text file for each image.
    Yolo,
}

impl Format {
    const ALL: [Self; 3] = [Self::Coco, Self::Yolo, Self::Voc];

    /// The word that names the format before a path, as in `coco:PATH`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Voc => "voc",
            Self::Coco => "coco",
            Self::Yolo => "yolo",
        }
    }

    fn looked_for(self) -> &'static str {
        match self {
            Self::Voc => voc::LOOKED_FOR,
            Self::Coco => coco::LOOKED_FOR,
            Self::Yolo => yolo::LOOKED_FOR,
        }
    }

    /// Whether `path` looks like a data set of this format.
    fn fits(self, path: &Path) -> bool {
        match self {
            Self::Voc => voc::is_likely(path),
            Self::Coco if path.is_file() => path.extension().is_some_and(|extension| extension == "json"),
            Self::Coco => !matches!(coco::splits(path), Ok(splits) if splits.is_empty()),
            Self::Yolo => yolo::is_likely(path),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Voc => "Pascal VOC",
            Self::Coco => "COCO",
            Self::Yolo => "YOLO",
        })
    }
}

/// A data set at a path, its splits found and not yet read.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    format: Format,
    path: PathBuf,
    parts: Parts,
}

#[no_retain]
#[derive(Debug, Clone, PartialEq, Eq)]
enum Parts {
    Voc(Vec<String>),
    Coco(Vec<coco::SplitFile>),
    Yolo(yolo::YoloFolder),
}

impl Layout {
    /// Finds the data set that `place` names: a folder, a `data.yaml` or an annotation file, with the format before
    /// it (`coco:PATH`, `yolo:PATH`, `voc:PATH`) where a folder holds several.
    ///
    /// # Errors
    /// When nothing is there, or nothing known, or several kinds; and what the format misses in its folder.
    pub fn detect(place: &str) -> Result<Self, DataError> {
        let named = place.split_once(':').and_then(|(word, path)| {
            Some((Format::ALL.into_iter().find(|format| format.word() == word)?, Path::new(path)))
        });
        if let Some((format, path)) = named {
            return Self::of(format, path);
        }
        let path = Path::new(place);
        let found: Vec<Format> = Format::ALL.into_iter().filter(|format| format.fits(path)).collect();
        match found[..] {
            [] => Err(unknown(path)),
            [format] => Self::of(format, path),
            _ => {
                let kinds = found.iter().map(|format| format.word().to_owned()).collect();
                Err(DataError::SeveralLayouts { path: path.into(), kinds })
            }
        }
    }

    /// The data set of that format at `path`.
    ///
    /// # Errors
    /// When its folder lacks what the format asks for.
    pub fn of(format: Format, path: &Path) -> Result<Self, DataError> {
        let parts = match format {
            Format::Voc => Parts::Voc(voc::Voc::splits(path)?),
            Format::Coco => Parts::Coco(coco::splits(path)?),
            Format::Yolo => Parts::Yolo(yolo::YoloFolder::find(path)?),
        };
        match &parts {
            Parts::Coco(splits) if splits.is_empty() => Err(unknown(path)),
            _ => Ok(Self { format, path: path.into(), parts }),
        }
    }

    /// The kind of annotations.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Where the data set lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the data set is called: the name of its folder.
    pub fn name(&self) -> String {
        folder_name(&self.path)
    }

    /// Names of the splits; never empty for a data set that can be read.
    pub fn splits(&self) -> Vec<&str> {
        match &self.parts {
            Parts::Voc(splits) => splits.iter().map(String::as_str).collect(),
            Parts::Coco(splits) => splits.iter().map(|file| file.split.as_str()).collect(),
            Parts::Yolo(folder) => folder.splits.iter().map(|(split, _)| split.as_str()).collect(),
        }
    }

    /// Reads a split; a second one is given the class names of the first, so that the indices agree.
    ///
    /// # Errors
    /// The first fault; the readers list theirs.
    pub fn open(&self, split: &str, classes: Option<&[String]>) -> Result<FileSet, DataError> {
        self.read(split, classes, &mut Faults::stop())
    }

    /// Reads a split and goes on after a fault: what is faulty is left out of the set.
    ///
    /// # Errors
    /// A fault that leaves nothing to go on with, such as a split that is not there or a damaged JSON file.
    pub fn survey(
        &self,
        split: &str,
        classes: Option<&[String]>,
    ) -> Result<(FileSet, Vec<DataError>), DataError> {
        let mut faults = Faults::collect();
        let set = self.read(split, classes, &mut faults)?;
        Ok((set, faults.into_found()))
    }

    fn read(
        &self,
        split: &str,
        classes: Option<&[String]>,
        faults: &mut Faults,
    ) -> Result<FileSet, DataError> {
        match &self.parts {
            Parts::Voc(_) => voc::read(&self.path, split, classes, faults),
            Parts::Yolo(folder) => yolo::read(folder, split, classes, faults),
            Parts::Coco(files) => match files.iter().find(|file| file.split == split) {
                Some(file) => coco::read(&self.path, file, classes, faults),
                None => Err(self.no_split(split)),
            },
        }
    }

    fn no_split(&self, split: &str) -> DataError {
        let found = self.splits().into_iter().map(str::to_owned).collect();
        let expected = "an annotation file whose name contains it, such as annotations/instances_val.json";
        DataError::NoSplit { split: split.into(), path: self.path.clone(), expected, found }
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let splits = self.splits().join(", ");
        write!(f, "{} data set in `{}`, splits {splits}", self.format, self.path.display())
    }
}

fn unknown(path: &Path) -> DataError {
    let expected = Format::ALL.map(Format::looked_for).join("\n");
    DataError::UnknownLayout { path: path.into(), found: found_at(path), expected }
}

/// What lies at a path, in a few words.
fn found_at(path: &Path) -> String {
    const SHOWN: usize = 8;
    let entries = match std::fs::read_dir(path) {
        Ok(entries) => entries,
        Err(_) if !path.exists() => return "it is missing".into(),
        Err(_) if path.is_file() => return "it is a file, but neither .json nor .yaml".into(),
        Err(error) => return format!("it cannot be listed: {error}"),
    };
    let mut names: Vec<String> =
        entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned())).collect();
    names.sort();
    match names.len() {
        0 => "it is an empty folder".into(),
        n if n > SHOWN => format!("it holds {} and {} more", names[..SHOWN].join(", "), n - SHOWN),
        _ => format!("it holds {}", names.join(", ")),
    }
}
