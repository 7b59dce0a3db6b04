//! `data.yaml`: where the splits lie and what the classes are called.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::data::DataError;
use crate::data::text::read_text;

/// What is kept of a `data.yaml`.
#[derive(serde::Deserialize)]
pub(super) struct DataYaml {
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    train: Option<Places>,
    #[serde(default, alias = "valid")]
    val: Option<Places>,
    #[serde(default)]
    test: Option<Places>,
    #[serde(default)]
    names: Option<Names>,
    #[serde(default)]
    nc: Option<usize>,
    /// Keypoints follow the box on each line.
    #[serde(default)]
    pub(super) kpt_shape: Option<IgnoredAny>,
}

impl DataYaml {
    pub(super) fn read(path: &Path) -> Result<Self, DataError> {
        let text = read_text(path)?;
        serde_saphyr::from_str(&text)
            .map_err(|error| DataError::YamlSyntax { path: path.into(), reason: error.to_string() })
    }

    /// The class names in the order of their indices.
    pub(super) fn classes(&self, path: &Path) -> Result<Vec<String>, DataError> {
        let fault = |field: &str, reason: String| {
            Err(DataError::Value { path: path.into(), field: field.into(), reason })
        };
        let Some(Names(names)) = &self.names else {
            return fault(
                "names",
                "missing; add the class names in the order of their indices, such as `names: [cat, dog]`"
                    .into(),
            );
        };
        if let Some((place, found)) = (0..).zip(names.keys()).find(|(place, index)| place != *index) {
            return fault("names", format!("class {place} has no name, but class {found} does"));
        }
        match self.nc {
            _ if names.is_empty() => fault("names", "empty, expected a name for each class".into()),
            Some(nc) if nc != names.len() => {
                fault("nc", format!("{nc}, but `names` has {} names; correct one of them", names.len()))
            }
            _ => Ok(names.values().cloned().collect()),
        }
    }

    /// The splits with the paths that each may mean, in the order to try them.
    pub(super) fn splits(&self, yaml: &Path) -> Vec<(&'static str, Vec<Vec<PathBuf>>)> {
        let folder = yaml.parent().unwrap_or(Path::new("."));
        let root = self.path.as_ref().map(|path| folder.join(path));
        let meant = |place: &String| {
            let roots = root.iter().map(PathBuf::as_path).chain([folder]);
            // Some exporters count from a folder that they did not export.
            let inside = place.trim_start_matches("../");
            roots.flat_map(|root| [root.join(place), root.join(inside)]).collect()
        };
        let named = [("train", &self.train), ("val", &self.val), ("test", &self.test)];
        let given = named.into_iter().filter_map(|(split, places)| Some((split, places.as_ref()?)));
        given.map(|(split, Places(places))| (split, places.iter().map(meant).collect())).collect()
    }
}

/// One path or a list of them.
struct Places(Vec<String>);

impl<'de> Deserialize<'de> for Places {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IntoPlaces)
    }
}

struct IntoPlaces;

impl<'de> Visitor<'de> for IntoPlaces {
    type Value = Places;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a path or a list of paths")
    }

    fn visit_str<E>(self, place: &str) -> Result<Places, E> {
        Ok(Places(vec![place.into()]))
    }

    fn visit_unit<E>(self) -> Result<Places, E> {
        Ok(Places(Vec::new()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut places: A) -> Result<Places, A::Error> {
        let mut list = Vec::new();
        while let Some(place) = places.next_element()? {
            list.push(place);
        }
        Ok(Places(list))
    }
}

/// A list of names, or a map from index to name.
struct Names(BTreeMap<usize, String>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IntoNames)
    }
}

struct IntoNames;

impl<'de> Visitor<'de> for IntoNames {
    type Value = Names;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of names or a map from index to name")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<Names, A::Error> {
        let mut map = BTreeMap::new();
        while let Some(name) = names.next_element()? {
            map.insert(map.len(), name);
        }
        Ok(Names(map))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut names: A) -> Result<Names, A::Error> {
        let mut map = BTreeMap::new();
        while let Some((index, name)) = names.next_entry()? {
            map.insert(index, name);
        }
        Ok(Names(map))
    }
}
