//! What is asked of single keys.

use super::{Converted, OfficialConfigError};

pub(super) fn required<'a, T>(value: &'a Option<T>, key: &'static str) -> Converted<&'a T> {
    value.as_ref().ok_or(OfficialConfigError::Missing { key })
}

pub(super) fn unsupported<T>(
    key: &'static str,
    found: impl ToString,
    supported: &'static str,
) -> Converted<T> {
    Err(OfficialConfigError::Unsupported { key, found: found.to_string(), supported })
}

/// `found`, if it is there, must be `wanted`.
pub(super) fn only<T: PartialEq + ToString>(
    key: &'static str,
    found: Option<T>,
    wanted: T,
    supported: &'static str,
) -> Converted<()> {
    match found {
        Some(found) if found != wanted => unsupported(key, found.to_string(), supported),
        _ => Ok(()),
    }
}

/// A list as it would be written.
pub(super) fn list<T: std::fmt::Debug>(values: &[T]) -> String {
    format!("{values:?}")
}
