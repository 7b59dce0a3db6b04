//! A folder of images with boxes drawn at random.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use guard_core::no_retain;
use rand::RngExt;
use rand_pcg::Pcg64;
use trainer::data::decode::{ENDINGS, decode, dimensions, is_named_as_image};
use trainer::data::{Annotations, DataError, Dataset, Sample};

/// Images whose objects are made up.
#[no_retain]
pub struct Pictures {
    folder: PathBuf,
    files: Vec<PathBuf>,
    annotations: Vec<Annotations>,
    classes: Vec<String>,
}

const CLASSES: i64 = 80;

impl Pictures {
    /// The images of `folder`, by name.
    pub fn open(folder: &Path) -> anyhow::Result<Self> {
        let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
        let mut files = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<Vec<PathBuf>>>()?;
        files.retain(|file| is_named_as_image(file));
        ensure!(
            !files.is_empty(),
            "{} holds no file with one of the extensions {ENDINGS:?}",
            folder.display()
        );
        files.sort();
        let annotated =
            files.iter().enumerate().map(|(index, file)| Ok(annotations(index, dimensions(file)?)));
        let annotations = annotated.collect::<Result<_, DataError>>()?;
        let classes = (0..CLASSES).map(|class| class.to_string()).collect();
        Ok(Self { folder: folder.to_owned(), files, annotations, classes })
    }
}

/// Between 1 and 13 boxes of a thirtieth to two fifths of the image's sides.
fn annotations(index: usize, size: [u32; 2]) -> Annotations {
    let mut rng = Pcg64::new(index as u128, 0);
    let objects = rng.random_range(1..=13);
    let mut xyxy = || {
        let [[left, right], [top, bottom]] = size.map(|side| {
            let length = side as f32 * rng.random_range(0.03..0.4);
            let start = rng.random_range(0.0..1.0) * (side as f32 - length);
            [start, start + length]
        });
        [left, top, right, bottom]
    };
    let boxes_xyxy: Vec<[f32; 4]> = (0..objects).map(|_| xyxy()).collect();
    let labels = (0..objects as i64).map(|object| object % CLASSES).collect();
    Annotations { image_id: index as i64, size, labels, boxes_xyxy, difficult: vec![false; objects] }
}

impl Dataset for Pictures {
    fn len(&self) -> usize {
        self.files.len()
    }

    fn class_names(&self) -> &[String] {
        &self.classes
    }

    fn sample(&self, index: usize) -> Result<Sample, DataError> {
        let Annotations { image_id, labels, boxes_xyxy, .. } = self.annotations[index].clone();
        Ok(Sample { image_id, image: decode(&self.files[index])?, labels, boxes_xyxy })
    }

    fn annotations(&self, index: usize) -> Result<Annotations, DataError> {
        Ok(self.annotations[index].clone())
    }

    fn locate(&self, index: usize) -> String {
        format!("`{}`", self.files[index].display())
    }

    fn name(&self) -> String {
        self.folder.display().to_string()
    }

    fn describe(&self) -> String {
        format!("{}: {} images with boxes drawn at random", self.name(), self.len())
    }
}
