//! Tensors by name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use guard_core::{Detached, no_retain};
use tch::{Kind, Tensor, nn};

/// A state dict: tensors by name, and the file that they come from.
#[derive(Debug, Default)]
#[no_retain]
pub struct StateDict {
    path: PathBuf,
    tensors: BTreeMap<String, Detached<Tensor>>,
}

impl StateDict {
    /// An empty one; `path` is where its tensors come from, for messages.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), tensors: BTreeMap::new() }
    }

    /// A copy of every variable of `store`.
    pub fn of_store(store: &nn::VarStore, path: &Path) -> Self {
        let mut state = Self::new(path);
        for (name, variable) in store.variables() {
            state.tensors.insert(name, Detached::new(&variable));
        }
        state
    }

    /// Where the tensors come from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The number of tensors.
    pub fn len(&self) -> usize {
        self.tensors.len()
    }

    /// Whether there is no tensor.
    pub fn is_empty(&self) -> bool {
        self.tensors.is_empty()
    }

    /// Keeps `tensor` under `name`; returns whether the name was free.
    pub fn insert(&mut self, name: String, tensor: Detached<Tensor>) -> bool {
        self.tensors.insert(name, tensor).is_none()
    }

    /// Takes the tensor of that name out.
    pub fn remove(&mut self, name: &str) -> Option<Detached<Tensor>> {
        self.tensors.remove(name)
    }

    /// A handle of the tensor of that name.
    pub fn get(&self, name: &str) -> Option<Tensor> {
        self.tensors.get(name).map(Detached::get)
    }

    /// Whether a tensor has that name.
    pub fn contains(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    /// Whether the name of a tensor starts with `prefix`.
    pub fn has_prefix(&self, prefix: &str) -> bool {
        self.names().any(|name| name.starts_with(prefix))
    }

    /// Dimensions and element type of the tensor of that name.
    pub fn shape(&self, name: &str) -> Option<(Vec<i64>, Kind)> {
        self.get(name).map(|tensor| (tensor.size(), tensor.kind()))
    }

    /// Names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tensors.keys().map(String::as_str)
    }

    /// Names and handles, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Tensor)> {
        self.tensors.iter().map(|(name, tensor)| (name.as_str(), tensor.get()))
    }

    /// The same tensors under other names; `None` drops one.
    pub fn rename(self, new_name: impl Fn(&str) -> Option<String>) -> Self {
        let named = self.tensors.into_iter();
        let tensors = named.filter_map(|(name, tensor)| Some((new_name(&name)?, tensor))).collect();
        Self { path: self.path, tensors }
    }

    /// The tensors whose names start with `prefix`, without it.
    ///
    /// # Errors
    /// All of them back, when there is none.
    pub fn section(self, prefix: &str) -> Result<Self, Self> {
        match self.has_prefix(prefix) {
            true => Ok(self.rename(|name| name.strip_prefix(prefix).map(str::to_owned))),
            false => Err(self),
        }
    }
}
