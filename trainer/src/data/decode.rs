//! Image files to RGB pixels.
//!
//! The JPEG decoder fills what a truncated file lacks with grey and reports nothing, so the end of the file
//! is looked for here before decoding.

use std::io::{BufReader, Cursor};
use std::path::Path;

use image::{ImageFormat, ImageReader, RgbImage};

use super::DataError;

/// Reads and decodes an image; grey becomes RGB, an alpha channel is dropped.
///
/// # Errors
/// When the file cannot be read, is empty, is truncated or is not a JPEG or PNG.
pub(super) fn decode(path: &Path) -> Result<RgbImage, DataError> {
    let bytes = std::fs::read(path).map_err(|source| DataError::Read { path: path.into(), source })?;
    let fault = |reason: String| DataError::Decode { path: path.into(), reason };
    if bytes.is_empty() {
        return Err(fault("the file is empty".into()));
    }
    let format = image::guess_format(&bytes).map_err(|error| fault(error.to_string()))?;
    if format == ImageFormat::Jpeg && !jpeg_is_whole(&bytes) {
        return Err(fault(format!("the JPEG ends early, after {} bytes", bytes.len())));
    }
    let decoded = ImageReader::with_format(Cursor::new(&bytes), format).decode();
    decoded.map(|image| image.into_rgb8()).map_err(|error| fault(error.to_string()))
}

/// Width and height from the head of an image file.
///
/// # Errors
/// When the file cannot be read or its head is not that of a JPEG or PNG.
pub(super) fn dimensions(path: &Path) -> Result<[u32; 2], DataError> {
    let read = |source| DataError::Read { path: path.into(), source };
    let file = std::fs::File::open(path).map_err(read)?;
    if file.metadata().map_err(read)?.len() == 0 {
        return Err(DataError::Decode { path: path.into(), reason: "the file is empty".into() });
    }
    let reader = ImageReader::new(BufReader::new(file)).with_guessed_format().map_err(read)?;
    match reader.into_dimensions() {
        Ok((width, height)) => Ok([width, height]),
        Err(error) => Err(DataError::Decode { path: path.into(), reason: error.to_string() }),
    }
}

const START_OF_SCAN: u8 = 0xda;
const END_OF_IMAGE: u8 = 0xd9;

/// Whether the chain of JPEG segments reaches the end-of-image marker.
///
/// Walking the chain, instead of searching for the marker, steps over a thumbnail that has an end of its own.
fn jpeg_is_whole(bytes: &[u8]) -> bool {
    let mut position = 2;
    while let Some(found) = next_marker(bytes, position) {
        let (marker, after) = found;
        if marker == END_OF_IMAGE {
            return true;
        }
        let Some(length) = bytes.get(after..after + 2) else { return false };
        position = after + usize::from(u16::from_be_bytes([length[0], length[1]]));
        if marker == START_OF_SCAN {
            position = end_of_scan(bytes, position);
        }
    }
    false
}

/// The marker at or after `from` (fill bytes are allowed before it) and the position after it.
fn next_marker(bytes: &[u8], from: usize) -> Option<(u8, usize)> {
    let start = from + bytes.get(from..)?.iter().position(|&byte| byte == 0xff)?;
    let code = start + bytes[start..].iter().position(|&byte| byte != 0xff)?;
    Some((bytes[code], code + 1))
}

/// Where the compressed data that starts at `from` meets a marker other than a restart or a stuffed zero.
fn end_of_scan(bytes: &[u8], from: usize) -> usize {
    let scan = bytes.get(from..).unwrap_or_default();
    let is_end = |pair: &[u8]| pair[0] == 0xff && !matches!(pair[1], 0x00 | 0xff | 0xd0..=0xd7);
    from + scan.windows(2).position(is_end).unwrap_or(scan.len())
}
