//! Decodes every image, and finds those that hold the same pixels.

use std::any::Any;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};

use guard_core::no_retain;
use rayon::prelude::*;
use serde::Serialize;

use crate::data::{DataError, Dataset, FileSet};

/// Two files with the same pixels.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SamePicture {
    /// The file that came first.
    pub first: String,
    /// The other one.
    pub second: String,
}

/// The pictures seen so far.
#[no_retain]
#[derive(Debug, Default)]
pub(super) struct Pictures {
    /// By a hash of size and pixels: split and file.
    seen: HashMap<u64, (String, String)>,
    shared: Vec<SamePicture>,
}

impl Pictures {
    /// Messages about images that cannot be used, and pictures that the split has twice.
    pub(super) fn look_at(
        &mut self,
        split: &str,
        set: &FileSet,
        seen: &(dyn Fn() + Sync),
    ) -> (Vec<String>, Vec<SamePicture>) {
        let look = |index: usize| {
            let hash = hash(set, index);
            seen();
            hash
        };
        let hashes: Vec<Result<u64, DataError>> = (0..set.len()).into_par_iter().map(look).collect();
        let (mut unreadable, mut repeated) = (Vec::new(), Vec::new());
        for (index, hash) in hashes.into_iter().enumerate() {
            match hash {
                Ok(hash) => repeated.extend(self.compare(hash, split, set, index)),
                Err(fault) => unreadable.push(fault.to_string()),
            }
        }
        (unreadable, repeated)
    }

    /// Notes a picture; gives the pair when its split has it already.
    fn compare(&mut self, hash: u64, split: &str, set: &FileSet, index: usize) -> Option<SamePicture> {
        let second = set.image_path(index).display().to_string();
        let Some((other, first)) = self.seen.get(&hash) else {
            self.seen.insert(hash, (split.to_owned(), second));
            return None;
        };
        let pair = SamePicture { first: first.clone(), second };
        if other == split {
            return Some(pair);
        }
        self.shared.push(pair);
        None
    }

    pub(super) fn into_shared(self) -> Vec<SamePicture> {
        self.shared
    }
}

fn hash(set: &FileSet, index: usize) -> Result<u64, DataError> {
    let decoded = catch_unwind(AssertUnwindSafe(|| set.sample(index)));
    let sample = decoded.unwrap_or_else(|payload| {
        Err(DataError::Panicked { item: set.locate(index), message: panic_message(payload.as_ref()) })
    })?;
    let mut hasher = DefaultHasher::new();
    (sample.image.dimensions(), sample.image.as_raw()).hash(&mut hasher);
    Ok(hasher.finish())
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into())
}
