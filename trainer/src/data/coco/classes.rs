//! From the category ids of a file, which may have gaps, to class indices without.

use std::collections::HashMap;
use std::path::Path;

use super::parse::Category;
use crate::data::faults::Faults;
use crate::data::repairs::Repair;
use crate::data::{DataError, FileSet};

/// The class index of every category id.
pub(super) struct Labels<'a> {
    path: &'a Path,
    /// In ascending order of their ids.
    categories: Vec<Category>,
    /// By category id; `None` is a category that the given class list does not have.
    labels: HashMap<i64, Option<usize>>,
}

impl<'a> Labels<'a> {
    /// Sets the classes of `set`: `given`, or the names of the categories in the order of their ids.
    pub(super) fn new(
        path: &'a Path,
        categories: Vec<Category>,
        given: Option<&[String]>,
        set: &mut FileSet,
        faults: &mut Faults,
    ) -> Result<Self, DataError> {
        if categories.is_empty() {
            let reason = "empty, expected a category for each class".into();
            faults.take(DataError::Value { path: path.into(), field: "categories".into(), reason })?;
        }
        let categories = sorted(path, categories, faults)?;
        set.classes = given.map_or_else(|| merged_names(path, &categories, set), <[String]>::to_vec);
        let label = |name: &String| set.classes.iter().position(|class| class == name);
        let labels: HashMap<_, _> =
            categories.iter().map(|category| (category.id, label(&category.name))).collect();
        set.category_ids = category_ids(&categories, &labels, set.classes.len());
        Ok(Self { path, categories, labels })
    }

    /// The class index of annotation `row`.
    pub(super) fn of(&self, category_id: i64, row: usize) -> Result<usize, DataError> {
        let reason = match self.labels.get(&category_id) {
            Some(Some(label)) => return Ok(*label),
            Some(None) => {
                let name = self.categories.iter().find(|category| category.id == category_id);
                let name = name.map_or("", |category| &category.name);
                format!("{category_id} (`{name}`), a class that the training split does not have")
            }
            None => format!("{category_id}, expected an id that `categories` declares: {}", self.known()),
        };
        let field = format!("annotations[{row}].category_id");
        Err(DataError::Value { path: self.path.into(), field, reason })
    }

    fn known(&self) -> String {
        const SHOWN: usize = 12;
        let ids: Vec<String> = self.categories.iter().take(SHOWN).map(|c| c.id.to_string()).collect();
        let rest = if self.categories.len() > SHOWN { ", …" } else { "" };
        format!("{}{rest}", ids.join(", "))
    }
}

/// The categories by ascending id, each id once.
fn sorted(path: &Path, categories: Vec<Category>, faults: &mut Faults) -> Result<Vec<Category>, DataError> {
    let mut first = HashMap::new();
    let mut kept = Vec::with_capacity(categories.len());
    for (row, category) in categories.into_iter().enumerate() {
        let reason = match first.insert(category.id, row) {
            None if category.id >= 0 => {
                kept.push(category);
                continue;
            }
            None => format!("{}, expected at least 0", category.id),
            Some(before) => format!("{}, which `categories[{before}]` has too: ids are unique", category.id),
        };
        let field = format!("categories[{row}].id");
        faults.take(DataError::Value { path: path.into(), field, reason })?;
    }
    kept.sort_by_key(|category| category.id);
    Ok(kept)
}

/// Every name once; some tools declare a class and its group under one name.
fn merged_names(path: &Path, categories: &[Category], set: &mut FileSet) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(categories.len());
    for Category { id, name } in categories {
        if names.contains(name) {
            set.repairs.count(Repair::CategoriesMerged, path, || format!("category {id} `{name}`"));
        } else {
            names.push(name.clone());
        }
    }
    names
}

/// The id to report for each class: the last of its name; an unused number for a class that the file lacks.
fn category_ids(categories: &[Category], labels: &HashMap<i64, Option<usize>>, classes: usize) -> Vec<i64> {
    let unused = categories.last().map_or(0, |last| last.id.saturating_add(1));
    let mut ids: Vec<i64> = (0..classes as i64).map(|label| unused.saturating_add(label)).collect();
    for Category { id, .. } in categories {
        if let Some(&Some(label)) = labels.get(id) {
            ids[label] = *id;
        }
    }
    ids
}
