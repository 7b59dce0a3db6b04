//! What a reader does about a fault: stop at the first, or note all and read on.

use guard_core::no_retain;

use super::DataError;

/// The faults of a data set while it is read.
#[no_retain]
#[derive(Debug)]
pub(super) struct Faults {
    /// `None` stops at the first.
    found: Option<Vec<DataError>>,
}

impl Faults {
    /// For training: the first fault ends the reading.
    pub(super) fn stop() -> Self {
        Self { found: None }
    }

    /// For a check: what is faulty is left out and noted.
    pub(super) fn collect() -> Self {
        Self { found: Some(Vec::new()) }
    }

    /// Notes `fault`, or gives it back to end the reading.
    pub(super) fn take(&mut self, fault: DataError) -> Result<(), DataError> {
        let Some(found) = &mut self.found else { return Err(fault) };
        found.push(fault);
        Ok(())
    }

    /// The value, or `None` after its fault was noted.
    pub(super) fn pass<T>(&mut self, result: Result<T, DataError>) -> Result<Option<T>, DataError> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(fault) => self.take(fault).map(|()| None),
        }
    }

    pub(super) fn into_found(self) -> Vec<DataError> {
        self.found.unwrap_or_default()
    }
}
