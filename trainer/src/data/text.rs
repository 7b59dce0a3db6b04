//! Text files as people save them: with a byte order mark, with Windows line ends, in another encoding.

use std::path::Path;

use super::DataError;

/// The text of a file without its byte order mark.
///
/// # Errors
/// When the file cannot be read, or is not UTF-8: the line of the first wrong byte is named.
pub(super) fn read_text(path: &Path) -> Result<String, DataError> {
    let bytes = std::fs::read(path).map_err(|source| DataError::Read { path: path.into(), source })?;
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => return Err(not_utf8(path, error.as_bytes(), error.utf8_error().valid_up_to())),
    };
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

fn not_utf8(path: &Path, bytes: &[u8], at: usize) -> DataError {
    let line = 1 + bytes[..at].iter().filter(|&&byte| byte == b'\n').count();
    let found = match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "UTF-16".into(),
        _ => format!("byte {:#04x}", bytes[at]),
    };
    DataError::Encoding { path: path.into(), line, found }
}
