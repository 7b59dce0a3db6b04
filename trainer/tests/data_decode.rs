//! Image files of every kind against what Pillow reads from them.

use std::path::{Path, PathBuf};

use image::{ImageFormat, Rgb, RgbImage};
use trainer::data::decode::{Upright, decode, decode_bytes, dimensions};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/decode").join(name)
}

/// What `Image.open(name).convert("RGB")` gives.
fn expected(name: &str) -> RgbImage {
    image::open(file(&format!("{}.rgb.png", name.replace('.', "_")))).unwrap().into_rgb8()
}

fn most_different(actual: &RgbImage, expected: &RgbImage, name: &str) -> u8 {
    assert_eq!(actual.dimensions(), expected.dimensions(), "{name}");
    actual.as_raw().iter().zip(expected.as_raw()).map(|(a, e)| a.abs_diff(*e)).max().unwrap()
}

#[test]
fn lossless_files_give_the_pixels_that_pillow_gives() {
    let names = [
        "bilevel.png",
        "grey_alpha.png",
        "palette.png",
        "rgba.png",
        "rgb16.png",
        "rgba16.png",
        "rgb.bmp",
        "rgb.webp",
        "rgba.webp",
    ];
    for name in names {
        assert_eq!(most_different(&decode(&file(name)).unwrap(), &expected(name), name), 0, "{name}");
        assert_eq!(dimensions(&file(name)).unwrap(), [24, 16], "{name}");
    }
}

/// Two decoders may round the cosine transform differently.
#[test]
fn jpeg_files_agree_with_pillow_within_three_levels() {
    for name in ["rgb.jpg", "progressive.jpg", "grey.jpg", "cmyk.jpg"] {
        let difference = most_different(&decode(&file(name)).unwrap(), &expected(name), name);
        assert!(difference <= 3, "{name} differs by {difference} levels");
    }
}

#[test]
fn grey_of_sixteen_bits_keeps_its_high_byte() {
    // The green channel of the same picture, without its alpha where there is one.
    let rgb = expected("rgb16.png");
    for name in ["grey16.png", "grey_alpha16.png"] {
        let grey = decode(&file(name)).unwrap();
        for (Rgb(grey), Rgb(rgb)) in grey.pixels().zip(rgb.pixels()) {
            assert_eq!(*grey, [rgb[1]; 3], "{name}");
        }
    }
}

#[test]
fn orientation_is_followed_when_asked_for() {
    let stored = decode(&file("exif1.jpg")).unwrap();
    for orientation in 1..=8 {
        let name = format!("exif{orientation}.jpg");
        let bytes = std::fs::read(file(&name)).unwrap();
        let upright = decode_bytes(&bytes, Path::new(&name), Upright::Exif).unwrap();
        assert!(most_different(&upright, &expected(&name), &name) <= 3, "{name}");
        assert_eq!(decode(&file(&name)).unwrap(), stored, "{name} as stored");
    }
}

fn encoded(image: &RgbImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

#[test]
fn broken_files_are_refused_with_their_name() {
    let picture = RgbImage::from_fn(40, 30, |x, y| Rgb([x as u8, y as u8, 9]));
    let mut cases = vec![("empty", vec![]), ("text", b"not an image at all".to_vec())];
    for format in [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP, ImageFormat::Bmp] {
        let whole = encoded(&picture, format);
        assert!(decode_bytes(&whole, Path::new("whole"), Upright::Stored).is_ok(), "{format:?}");
        for part in [whole.len() / 2, whole.len() - 8, 12] {
            cases.push(("cut", whole[..part].to_vec()));
        }
    }
    for (name, bytes) in cases {
        let fault = decode_bytes(&bytes, Path::new(name), Upright::Exif).expect_err(name).to_string();
        assert!(fault.starts_with(&format!("cannot decode the image `{name}`: ")), "{fault}");
    }
}

#[test]
fn long_thin_images_pass_and_bombs_do_not() {
    let thin = encoded(&RgbImage::new(20_000, 20), ImageFormat::Png);
    let decoded = decode_bytes(&thin, Path::new("thin"), Upright::Stored).unwrap();
    assert_eq!(decoded.dimensions(), (20_000, 20));
    // The head of a PNG of 30,000 by 30,000 pixels, 2.7 GB once decoded.
    let mut bomb = encoded(&RgbImage::new(1, 1), ImageFormat::Png);
    bomb[16..24].copy_from_slice(&[0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30]);
    let checksum = crc32(&bomb[12..29]).to_be_bytes();
    bomb[29..33].copy_from_slice(&checksum);
    let fault = decode_bytes(&bomb, Path::new("bomb.png"), Upright::Stored).unwrap_err().to_string();
    assert!(fault.contains("its 30000x30000 pixels take 2700000000 bytes"), "{fault}");
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
    })
}
