//! A TOML file that states only what differs from a preset.

use std::path::Path;

use serde::Deserialize;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{DataSource, Preset, TrainConfig, TrainConfigError};

/// The key that names the preset.
const PRESET: &str = "preset";

/// Tables with one key that says what they are; those of a preset are dropped where the file says something else.
const CHOICES: [&str; 3] = ["model.backbone", "data.source", "decay"];

/// The configuration in `text`, which was read from `path`; what it leaves out comes from its `preset`, or from `base`.
///
/// # Errors
/// Text that is no TOML, keys that are unknown, mistyped or, without a preset, missing: the message shows the line.
pub(super) fn parse(
    text: &str,
    path: &Path,
    base: Option<&TrainConfig>,
) -> Result<TrainConfig, TrainConfigError> {
    let refused = |mut error: toml::de::Error| {
        error.set_input(Some(text));
        TrainConfigError::Parse { path: path.to_owned(), cause: error.to_string() }
    };
    let mut document = DeTable::parse(text).map_err(refused)?;
    let preset = take_preset(document.get_mut()).map_err(refused)?;
    let preset = preset.as_deref().map(Preset::find).transpose()?;
    let preset = preset.map(|preset| preset.config(DataSource::SHAPES));
    let base = preset.as_ref().or(base).map(|base| toml::to_string(base).expect("plain data serialises"));
    if let Some(base) = &base {
        let whole = DeTable::parse(base).expect("what was serialised parses");
        fill(document.get_mut(), whole.into_inner(), "");
    }
    TrainConfig::deserialize(toml::Deserializer::from(document)).map_err(refused)
}

/// Removes the key `preset` and returns its value.
fn take_preset(table: &mut DeTable<'_>) -> Result<Option<String>, toml::de::Error> {
    let Some(value) = table.remove(PRESET) else { return Ok(None) };
    String::deserialize(toml::de::ValueDeserializer::from(value)).map(Some)
}

/// Adds to `own` what `base` has beyond it.
fn fill<'a>(own: &mut DeTable<'a>, base: DeTable<'a>, path: &str) {
    for (key, value) in base {
        let path = format!("{path}{}", key.get_ref());
        match (own.get_mut(&key).map(Spanned::get_mut), value.into_inner()) {
            (None, value) => {
                // Without a place of its own, a fault in it would be shown somewhere in the file.
                own.insert(key, Spanned::new(0..0, value));
            }
            (Some(DeValue::Table(own)), DeValue::Table(base)) => {
                if !CHOICES.contains(&path.as_str()) || own.keys().all(|key| base.contains_key(key)) {
                    fill(own, base, &format!("{path}."));
                }
            }
            (Some(_), _) => {}
        }
    }
}
