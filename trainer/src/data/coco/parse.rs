//! A COCO annotation file, read as a stream into columns: the file itself is never in memory as a whole.

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde_json::error::Category as Kind;

use crate::data::DataError;

/// What is kept of an annotation file.
#[derive(serde::Deserialize)]
pub(super) struct Contents {
    pub(super) images: Vec<Image>,
    pub(super) annotations: Columns,
    pub(super) categories: Vec<Category>,
}

/// An entry of `images`.
#[derive(serde::Deserialize)]
pub(super) struct Image {
    pub(super) id: i64,
    pub(super) file_name: String,
    #[serde(default)]
    pub(super) width: Option<u32>,
    #[serde(default)]
    pub(super) height: Option<u32>,
}

/// An entry of `categories`.
#[derive(serde::Deserialize)]
pub(super) struct Category {
    pub(super) id: i64,
    pub(super) name: String,
}

/// The entries of `annotations`, a vector for each field.
#[derive(Default)]
pub(super) struct Columns {
    pub(super) ids: Vec<Option<i64>>,
    pub(super) image_ids: Vec<i64>,
    pub(super) category_ids: Vec<i64>,
    pub(super) boxes_xywh: Vec<[f64; 4]>,
    /// NaN where there is none.
    pub(super) areas: Vec<f64>,
    pub(super) crowds: Vec<bool>,
}

#[derive(serde::Deserialize)]
struct Entry {
    #[serde(default)]
    id: Option<i64>,
    image_id: i64,
    category_id: i64,
    bbox: [f64; 4],
    #[serde(default)]
    area: Option<f64>,
    #[serde(default, deserialize_with = "flag")]
    iscrowd: bool,
}

impl Columns {
    fn push(&mut self, entry: Entry) {
        self.ids.push(entry.id);
        self.image_ids.push(entry.image_id);
        self.category_ids.push(entry.category_id);
        self.boxes_xywh.push(entry.bbox);
        self.areas.push(entry.area.unwrap_or(f64::NAN));
        self.crowds.push(entry.iscrowd);
    }

    pub(super) fn len(&self) -> usize {
        self.image_ids.len()
    }
}

impl<'de> Deserialize<'de> for Columns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(IntoColumns)
    }
}

struct IntoColumns;

impl<'de> Visitor<'de> for IntoColumns {
    type Value = Columns;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of annotations")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Columns, A::Error> {
        let mut columns = Columns::default();
        while let Some(entry) = entries.next_element()? {
            columns.push(entry);
        }
        Ok(columns)
    }
}

/// 0, 1, `true`, `false` or `null`.
fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    deserializer.deserialize_any(Flag)
}

struct Flag;

impl Visitor<'_> for Flag {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0 or 1")
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<bool, E> {
        Ok(flag)
    }

    fn visit_u64<E: Error>(self, flag: u64) -> Result<bool, E> {
        Ok(flag != 0)
    }

    fn visit_f64<E: Error>(self, flag: f64) -> Result<bool, E> {
        Ok(flag != 0.0)
    }

    fn visit_unit<E: Error>(self) -> Result<bool, E> {
        Ok(false)
    }
}

/// Reads `path`.
///
/// # Errors
/// When it cannot be read, is no JSON, or a field is missing or of another type; the field is named by its path.
pub(super) fn read(path: &Path) -> Result<Contents, DataError> {
    let failed = |source| DataError::Read { path: path.into(), source };
    let mut file = BufReader::with_capacity(1 << 16, File::open(path).map_err(failed)?);
    check_start(path, &mut file)?;
    let mut json = serde_json::Deserializer::from_reader(file);
    let contents = serde_path_to_error::deserialize(&mut json)
        .map_err(|error| fault(path, &error.path().to_string(), error.into_inner()))?;
    json.end().map_err(|error| fault(path, ".", error))?;
    Ok(contents)
}

/// Steps over a byte order mark and refuses what is no such file at the first byte.
fn check_start(path: &Path, file: &mut BufReader<File>) -> Result<(), DataError> {
    let head = file.fill_buf().map_err(|source| DataError::Read { path: path.into(), source })?;
    if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
        return Err(DataError::Encoding { path: path.into(), line: 1, found: "UTF-16".into() });
    }
    let mark = if head.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let first = head[mark..].iter().find(|byte| !byte.is_ascii_whitespace());
    if first == Some(&b'[') {
        let reason = "a list (of results?), expected an object with `images`, `annotations` and `categories`";
        return Err(DataError::Value { path: path.into(), field: ".".into(), reason: reason.into() });
    }
    file.consume(mark);
    Ok(())
}

fn fault(path: &Path, field: &str, error: serde_json::Error) -> DataError {
    let (path, reason) = (path.to_path_buf(), error.to_string());
    match error.classify() {
        Kind::Io => DataError::Read { path, source: error.into() },
        Kind::Data => DataError::Value { path, field: field.into(), reason },
        Kind::Eof => DataError::JsonSyntax {
            path,
            reason,
            way_out: "the file is empty or cut off: copy or export it again",
        },
        Kind::Syntax if reason.contains("trailing comma") => {
            DataError::JsonSyntax { path, reason, way_out: "take that comma out" }
        }
        Kind::Syntax => DataError::JsonSyntax {
            path,
            reason,
            way_out: "mend it there (JSON has no NaN, Infinity, comments or single quotes)",
        },
    }
}
