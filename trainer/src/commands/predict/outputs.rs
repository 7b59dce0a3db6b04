//! What a prediction leaves: pictures, JSON, CSV and a last line.

use std::{
    io::{Stdout, Write},
    path::{Path, PathBuf},
};

use anyhow::Context;
use guard_core::no_retain;
use image::{ImageFormat, RgbImage, codecs::jpeg::JpegEncoder};
use trainer::{
    eval::Detection,
    predict::{Failure, ImageRecord, Input, csv_head},
    report::{
        atomic::{GrowingFile, write_file},
        boxes, draw_detections, units,
    },
};

/// High enough that letters stay clean.
const JPEG_QUALITY: u8 = 92;

/// Takes the records one by one; nothing but counts is kept of them.
#[no_retain]
pub struct Outputs {
    pictures: Option<PathBuf>,
    json: Option<Json>,
    csv: Option<GrowingFile>,
    images: u64,
    detections: u64,
    failed: u64,
}

/// A JSON array that grows.
#[no_retain]
struct Json {
    sink: Sink,
    empty: bool,
}

#[no_retain]
enum Sink {
    Stdout(Stdout),
    File(GrowingFile),
}

/// `predictions`, or the first of `predictions-2`, … that is free.
pub fn free_folder() -> PathBuf {
    let numbered = (2..).map(|number| PathBuf::from(format!("predictions-{number}")));
    let mut folders = std::iter::once(PathBuf::from("predictions")).chain(numbered);
    folders.find(|folder| !folder.exists()).expect("the numbers do not end")
}

impl Outputs {
    /// Opens what was asked for; `-` for `json` is standard output.
    pub fn create(
        pictures: Option<PathBuf>,
        json: Option<&Path>,
        csv: Option<&Path>,
    ) -> anyhow::Result<Self> {
        let mut csv = csv.map(GrowingFile::create).transpose()?;
        if let Some(csv) = &mut csv {
            csv.append(csv_head().as_bytes())?;
        }
        let json = json.map(Json::create).transpose()?;
        Ok(Self { pictures, json, csv, images: 0, detections: 0, failed: 0 })
    }

    /// Draws the picture of an image, if pictures were asked for, and returns its path.
    pub fn draw(
        &self,
        input: &Input,
        image: RgbImage,
        found: &[Detection],
        class_names: &[String],
    ) -> anyhow::Result<Option<String>> {
        let Some(folder) = &self.pictures else { return Ok(None) };
        let path = folder.join(&input.picture);
        let boxes: Vec<_> = found.iter().map(boxes::Detection::from).collect();
        let picture = draw_detections(image, &boxes, class_names);
        let above = path.parent().expect("a file stands in a folder");
        std::fs::create_dir_all(above).with_context(|| format!("cannot create {}", above.display()))?;
        let bytes = encoded(&picture, &path)?;
        write_file(&path, |file| file.write_all(&bytes))?;
        Ok(Some(path.to_string_lossy().into_owned()))
    }

    /// Writes the record of one image.
    pub fn add(&mut self, record: Result<ImageRecord, Failure>) -> anyhow::Result<()> {
        match &record {
            Ok(image) => {
                self.images += 1;
                self.detections += image.detections.len() as u64;
                if let Some(csv) = &mut self.csv {
                    csv.append(&image.csv_rows())?;
                }
                self.append_json(image)
            }
            Err(failure) => {
                self.failed += 1;
                eprintln!("skipped: {}", failure.error);
                self.append_json(failure)
            }
        }
    }

    /// Images that could not be read so far.
    pub fn failed(&self) -> u64 {
        self.failed
    }

    /// Puts the files in their places and says what was done.
    pub fn finish(self) -> anyhow::Result<String> {
        self.json.map(Json::finish).transpose()?;
        self.csv.map(GrowingFile::finish).transpose()?;
        let mut line = units::counted(self.detections, "detection");
        line += &format!(" on {}", units::counted(self.images, "image"));
        if self.failed > 0 {
            line += &format!("; {} could not be read", units::counted(self.failed, "image"));
        }
        if let Some(folder) = self.pictures.filter(|_| self.images > 0) {
            line += &format!("; look at {}", folder.display());
        }
        Ok(line)
    }

    fn append_json(&mut self, record: &impl serde::Serialize) -> anyhow::Result<()> {
        match &mut self.json {
            Some(json) => json.append(record),
            None => Ok(()),
        }
    }
}

impl Json {
    fn create(path: &Path) -> anyhow::Result<Self> {
        let mut sink = match path.to_str() {
            Some("-") => Sink::Stdout(std::io::stdout()),
            _ => Sink::File(GrowingFile::create(path)?),
        };
        sink.write(b"[")?;
        Ok(Self { sink, empty: true })
    }

    /// One record a line.
    fn append(&mut self, record: &impl serde::Serialize) -> anyhow::Result<()> {
        let mut bytes = if self.empty { b"\n".to_vec() } else { b",\n".to_vec() };
        serde_json::to_writer(&mut bytes, record).context("a record as JSON")?;
        self.empty = false;
        self.sink.write(&bytes)
    }

    fn finish(mut self) -> anyhow::Result<()> {
        self.sink.write(b"\n]\n")?;
        match self.sink {
            Sink::Stdout(mut stdout) => stdout.flush().context("cannot write to standard output"),
            Sink::File(file) => Ok(file.finish()?),
        }
    }
}

impl Sink {
    fn write(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        match self {
            Self::Stdout(stdout) => stdout.write_all(bytes).context("cannot write to standard output"),
            Self::File(file) => Ok(file.append(bytes)?),
        }
    }
}

/// The picture as its name says: a JPEG, or else a PNG.
fn encoded(picture: &RgbImage, path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    match ImageFormat::from_path(path) {
        Ok(ImageFormat::Jpeg) => {
            picture.write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY))
        }
        _ => picture.write_to(&mut bytes, ImageFormat::Png),
    }
    .with_context(|| format!("cannot encode {}", path.display()))?;
    Ok(bytes.into_inner())
}
