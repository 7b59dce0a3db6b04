//! From the labels of a model to those of a data set.

use std::collections::HashMap;

use guard_core::no_retain;

use super::{Detection, EvalError};

/// Which class of the data set each label of the model is; the same names in another order are the same classes.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassMap {
    /// By label of the model.
    labels: Vec<i64>,
}

impl ClassMap {
    /// The map of a model that was trained on the very data set, with `classes` classes.
    pub fn identity(classes: usize) -> Self {
        Self { labels: (0..classes as i64).collect() }
    }

    /// Matches the classes by name.
    ///
    /// # Errors
    /// `Classes` when one side has a name that the other has not; `AmbiguousClass` when the order differs and a name
    /// is listed twice.
    pub fn by_name(model: &[String], data: &[String]) -> Result<Self, EvalError> {
        if model == data {
            return Ok(Self::identity(data.len()));
        }
        let (of_model, of_data) = (places(model), places(data));
        let only = |names: &[String], other: &HashMap<&str, i64>| -> Vec<String> {
            names.iter().filter(|name| !other.contains_key(name.as_str())).cloned().collect()
        };
        let (only_model, only_data) = (only(model, &of_data), only(data, &of_model));
        if !(only_model.is_empty() && only_data.is_empty()) {
            return Err(EvalError::Classes { only_model, only_data });
        }
        if let Some(name) = doubled(model).or_else(|| doubled(data)) {
            return Err(EvalError::AmbiguousClass { name });
        }
        Ok(Self { labels: model.iter().map(|name| of_data[name.as_str()]).collect() })
    }

    /// Whether model and data have the same order.
    pub fn is_identity(&self) -> bool {
        self.labels.iter().zip(0..).all(|(&label, place)| label == place)
    }

    /// Replaces the model's labels by those of the data set; a label beyond the map stays for the evaluator to refuse.
    pub fn relabel(&self, detections: &mut [Detection]) {
        for detection in detections {
            let label = usize::try_from(detection.label).ok().and_then(|label| self.labels.get(label));
            detection.label = label.copied().unwrap_or(detection.label);
        }
    }
}

fn places(names: &[String]) -> HashMap<&str, i64> {
    names.iter().map(String::as_str).zip(0..).collect()
}

fn doubled(names: &[String]) -> Option<String> {
    let place = |name: &String| names.iter().position(|other| other == name);
    names.iter().enumerate().find(|(i, name)| place(name) != Some(*i)).map(|(_, name)| name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(model: &[&str], data: &[&str]) -> Result<ClassMap, EvalError> {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        ClassMap::by_name(&owned(model), &owned(data))
    }

    #[test]
    fn the_same_names_in_another_order_are_matched_by_name() {
        let map = map(&["cat", "dog", "owl"], &["owl", "cat", "dog"]).expect("the same names");
        let mut found: Vec<_> =
            (0..4).map(|label| Detection { label, score: 0.5, box_xyxy: [0.0; 4] }).collect();
        map.relabel(&mut found);
        assert_eq!(found.iter().map(|d| d.label).collect::<Vec<_>>(), [1, 2, 0, 3]);
        assert!(!map.is_identity());
    }

    #[test]
    fn differing_names_are_told() {
        let fault = map(&["cat", "dog"], &["dog", "zebra"]).expect_err("other names").to_string();
        assert!(fault.contains("only the model has `cat`, only the data has `zebra`"), "{fault}");
        let fault = map(&["cat"], &["cat", "dog"]).expect_err("fewer names").to_string();
        assert!(fault.contains("only the model has none, only the data has `dog`"), "{fault}");
    }

    #[test]
    fn a_doubled_name_is_refused_unless_the_order_is_the_same() {
        assert!(map(&["cat", "cat"], &["cat", "cat"]).expect("equal lists").is_identity());
        let fault = map(&["cat", "dog", "cat"], &["dog", "cat", "cat"]);
        assert!(matches!(fault, Err(EvalError::AmbiguousClass { name }) if name == "cat"));
    }
}
