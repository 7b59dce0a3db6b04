//! Reading YAML files with their includes, and merging them.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::{OfficialConfigError, fault, schema::Document};

const INCLUDE: &str = "__include__";

/// The tree of `path` merged onto what it includes; `above` are the files on the way to it.
pub(super) fn read(path: &Path, above: &mut Vec<PathBuf>) -> Result<Value, OfficialConfigError> {
    let unreadable =
        |cause| OfficialConfigError::Read { path: path.to_owned(), from: above.last().cloned(), cause };
    let here = path.canonicalize().map_err(unreadable)?;
    if above.contains(&here) {
        let files = above.iter().cloned().chain([here]).collect();
        return Err(OfficialConfigError::IncludeCycle { files });
    }
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
    let mut own =
        parse(&text).map_err(|cause| OfficialConfigError::Parse { path: path.to_owned(), cause })?;
    let includes = own.as_object_mut().and_then(|own| own.remove(INCLUDE));
    let mut tree = Value::Object(Map::new());
    above.push(here);
    for include in includes.iter().filter_map(Value::as_array).flatten().filter_map(Value::as_str) {
        merge(&mut tree, read(&beside(path, include), above)?);
    }
    above.pop();
    merge(&mut tree, own);
    Ok(tree)
}

/// An included file, relative to the file that includes it; `~` is the home folder.
fn beside(path: &Path, include: &str) -> PathBuf {
    match (include.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => path.parent().unwrap_or(Path::new("")).join(include),
    }
}

/// The tree of a YAML text, whose keys are all known; the error shows line and place.
fn parse(text: &str) -> Result<Value, String> {
    // An empty file, and one with comments alone, changes nothing.
    let check: Result<Option<Document>, _> = serde_saphyr::from_str(text);
    check.map_err(|error| fault::show(text, &error))?;
    let tree: Value = serde_saphyr::from_str(text).map_err(|error| fault::show(text, &error))?;
    Ok(if tree.is_null() { Value::Object(Map::new()) } else { tree })
}

/// The tree of an override `key.sub=value`.
pub(super) fn parse_override(text: &str) -> Result<Value, OfficialConfigError> {
    let refused = |problem: String| OfficialConfigError::Override { text: text.to_owned(), problem };
    let parts = text.trim().split_once('=').filter(|(key, _)| !key.split('.').any(str::is_empty));
    let (key, value) = parts.ok_or_else(|| refused("expected `key=value` or `key.sub=value`".to_owned()))?;
    let mut yaml = String::new();
    for (depth, part) in key.split('.').enumerate() {
        let new_line = if depth == 0 { "" } else { "\n" };
        yaml += &format!("{new_line}{}{part}:", "  ".repeat(depth));
    }
    parse(&format!("{yaml} {value}\n")).map_err(|problem| refused(format!("\n{problem}")))
}

/// Puts `other` over `tree`: mappings key by key, everything else as a whole.
pub(super) fn merge(tree: &mut Value, other: Value) {
    match (tree, other) {
        (Value::Object(tree), Value::Object(other)) => {
            for (key, value) in other {
                merge(tree.entry(key).or_insert(Value::Null), value);
            }
        }
        (tree, other) => *tree = other,
    }
}
