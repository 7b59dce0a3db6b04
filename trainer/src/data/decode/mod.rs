//! Image files to 8-bit RGB pixels, for training, checking and prediction alike.
//!
//! The conversions are those of Pillow's `convert("RGB")`, because the official pipeline reads with it: grey is
//! repeated, an alpha channel is dropped (not blended), a palette is looked up whether or not it has transparent
//! entries, CMYK is taken as Adobe stores it (inverted). Of 16-bit levels the high byte is kept; Pillow does so for
//! colour, but turns every 16-bit grey level above 255 white, which would train on blank pictures. Of an animation
//! the first frame is read.
//!
//! Training ignores the orientation in the EXIF data, as the official pipeline does: boxes are annotated in the
//! frame of the stored pixels, whose size the annotations name. Prediction turns the picture upright.

use std::io::{BufReader, Cursor};
use std::path::Path;

use guard_core::no_retain;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits, RgbImage};

use super::DataError;

mod jpeg_end;

/// Most bytes that the decoded pixels of one image may take (179 million RGB pixels), against files that are
/// small on disk and huge in memory.
pub const MOST_DECODED_BYTES: u64 = 512 << 20;

/// Endings of the files that are taken for images.
pub const ENDINGS: [&str; 5] = ["jpg", "jpeg", "png", "bmp", "webp"];

/// Whether the name of a file ends as that of an image, in capitals or not.
pub fn is_named_as_image(file: &Path) -> bool {
    let ending = file.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(ending)))
}

/// Which way up an image is read.
#[no_retain]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Upright {
    /// As stored: the frame that annotations refer to.
    Stored,
    /// Turned and mirrored as the EXIF data say: what a viewer shows.
    Exif,
}

/// Reads and decodes an image as stored.
///
/// # Errors
/// When the file cannot be read, is empty, is truncated, is not a JPEG, PNG, WebP or BMP, or would take more than
/// [`MOST_DECODED_BYTES`].
pub fn decode(path: &Path) -> Result<RgbImage, DataError> {
    let bytes = std::fs::read(path).map_err(|source| DataError::Read { path: path.into(), source })?;
    decode_bytes(&bytes, path, Upright::Stored)
}

/// Decodes an image that is already in memory; `name` is what messages call it.
///
/// # Errors
/// As [`decode`], but for reading.
pub fn decode_bytes(bytes: &[u8], name: &Path, upright: Upright) -> Result<RgbImage, DataError> {
    let fault = |reason: String| DataError::Decode { path: name.into(), reason };
    if bytes.is_empty() {
        return Err(fault("the file is empty".into()));
    }
    let format = image::guess_format(bytes).map_err(|_| fault(format!("it is no {KNOWN}")))?;
    if format == ImageFormat::Jpeg && !jpeg_end::is_whole(bytes) {
        return Err(fault(format!("the JPEG ends early, after {} bytes", bytes.len())));
    }
    pixels(bytes, format, upright).map_err(fault)
}

const KNOWN: &str = "JPEG, PNG, WebP or BMP";

fn pixels(bytes: &[u8], format: ImageFormat, upright: Upright) -> Result<RgbImage, String> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_DECODED_BYTES);
    reader.limits(limits);
    let text = |error: ImageError| error.to_string();
    let mut decoder = reader.into_decoder().map_err(text)?;
    refuse_bomb(&decoder)?;
    let orientation = match upright {
        Upright::Stored => Orientation::NoTransforms,
        Upright::Exif => decoder.orientation().map_err(text)?,
    };
    let mut image = DynamicImage::from_decoder(decoder).map_err(text)?;
    image.apply_orientation(orientation);
    Ok(into_rgb8(image))
}

/// Goes by the head of the file; a decoder's own limits do not count the pixels that it returns.
fn refuse_bomb(decoder: &impl ImageDecoder) -> Result<(), String> {
    let ((width, height), bytes) = (decoder.dimensions(), decoder.total_bytes());
    if bytes <= MOST_DECODED_BYTES {
        return Ok(());
    }
    Err(format!(
        "its {width}x{height} pixels take {bytes} bytes, more than the limit of {MOST_DECODED_BYTES}"
    ))
}

fn into_rgb8(image: DynamicImage) -> RgbImage {
    match image {
        DynamicImage::ImageLuma16(grey) => high_bytes(grey.width(), grey.height(), grey.as_raw(), 1),
        DynamicImage::ImageLumaA16(grey) => high_bytes(grey.width(), grey.height(), grey.as_raw(), 2),
        DynamicImage::ImageRgb16(rgb) => high_bytes(rgb.width(), rgb.height(), rgb.as_raw(), 3),
        DynamicImage::ImageRgba16(rgba) => high_bytes(rgba.width(), rgba.height(), rgba.as_raw(), 4),
        eight_bit => eight_bit.into_rgb8(),
    }
}

/// The high byte of every level; `channels` is 1 (grey), 2 (grey, alpha), 3 (RGB) or 4 (RGB, alpha).
fn high_bytes(width: u32, height: u32, levels: &[u16], channels: usize) -> RgbImage {
    let [_, green, blue] = if channels < 3 { [0; 3] } else { [0, 1, 2] };
    let rgb = levels.chunks_exact(channels).flat_map(|pixel| [pixel[0], pixel[green], pixel[blue]]);
    let bytes = rgb.map(|level| (level >> 8) as u8).collect();
    RgbImage::from_raw(width, height, bytes).expect("three bytes a pixel")
}

/// Width and height, as stored, from the head of an image file.
///
/// # Errors
/// When the file cannot be read or its head is not that of a JPEG, PNG, WebP or BMP.
pub fn dimensions(path: &Path) -> Result<[u32; 2], DataError> {
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
