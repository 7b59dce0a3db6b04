//! Whether a JPEG file reaches its end.
//!
//! The decoder fills what a truncated file lacks with grey and reports nothing, so the end of the file is looked
//! for here before decoding.

const START_OF_SCAN: u8 = 0xda;
const END_OF_IMAGE: u8 = 0xd9;

/// Whether the chain of JPEG segments reaches the end-of-image marker.
///
/// Walking the chain, instead of searching for the marker, steps over a thumbnail that has an end of its own.
pub(super) fn is_whole(bytes: &[u8]) -> bool {
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
