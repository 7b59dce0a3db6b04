//! The contact sheet: it decodes, has its layout, and shows both kinds of boxes.

use std::path::{Path, PathBuf};

use image::{Rgb, RgbImage};
use trainer::report::ReportError;
use trainer::report::contact_sheet::{Detection, Sheet, Tile, Truth, annotation_sheet, contact_sheet};

/// The colour of class 0.
const CLASS_0: [u8; 3] = [230, 57, 70];
/// The colour of class 1.
const CLASS_1: [u8; 3] = [29, 120, 222];
const NAMES: [&str; 5] = ["circle", "square", "triangle", "star", "ring"];

fn out(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn pixels_of(image: &RgbImage, color: [u8; 3]) -> usize {
    image.pixels().filter(|pixel| pixel.0 == color).count()
}

/// A gradient with one filled square, 128 by 96 pixels.
fn picture(seed: u32) -> RgbImage {
    RgbImage::from_fn(128, 96, |x, y| {
        let inside = (30..70).contains(&x) && (20..60).contains(&y);
        let base = Rgb([(60 + x) as u8, (90 + y + seed * 9 % 60) as u8, (140 - y) as u8]);
        if inside { Rgb([200, 180, 60]) } else { base }
    })
}

fn tile(seed: u32) -> Tile {
    let class = (seed % 5) as usize;
    Tile {
        image: picture(seed),
        caption: format!("val {seed:04}: 1 of 1 found"),
        truth: vec![Truth { class, box_xyxy: [30.0, 20.0, 70.0, 60.0] }],
        detections: vec![
            Detection { class, score: 0.93, box_xyxy: [31.5, 18.0, 72.0, 61.0] },
            Detection { class: (class + 1) % 5, score: 0.41, box_xyxy: [33.0, 20.0, 68.0, 58.0] },
            Detection { class: (class + 2) % 5, score: 0.35, box_xyxy: [100.0, 70.0, 140.0, 99.0] },
        ],
    }
}

fn sheet(tiles: Vec<Tile>) -> Sheet {
    Sheet {
        title: "Detections on the val split".to_owned(),
        caption: "shapes, epoch 12, score at least 0.30".to_owned(),
        class_names: NAMES.map(str::to_owned).to_vec(),
        columns: 4,
        tiles,
    }
}

#[test]
fn a_full_sheet_has_its_size_and_colours() -> Result<(), ReportError> {
    let path = out("predictions.png");
    contact_sheet(&path, &sheet((0..8).map(tile).collect()))?;
    let image = image::open(&path).expect("a PNG").into_rgb8();
    // 4 images of 400 and 3 gaps of 24 between margins of 40; 2 rows of 300 pixels high images.
    assert_eq!(image.dimensions(), (1752, 118 + 54 + 2 * (300 + 38 + 24) + 40 - 24));
    assert!(pixels_of(&image, CLASS_0) > 2000);
    assert!(pixels_of(&image, CLASS_1) > 2000);
    Ok(())
}

#[test]
fn an_outline_stands_where_its_box_is() -> Result<(), ReportError> {
    let path = out("one_box.png");
    let mut only = tile(0);
    only.truth.clear();
    only.detections.truncate(1);
    only.detections[0].box_xyxy = [32.0, 16.0, 64.0, 48.0];
    contact_sheet(&path, &sheet(vec![only]))?;
    let image = image::open(&path).expect("a PNG").into_rgb8();
    // Scale 400/128; the image starts at (40, 172).
    let at = |x: f32, y: f32| image.get_pixel((40.0 + x * 3.125) as u32, (172.0 + y * 3.125) as u32).0;
    for (x, y) in [(32.0, 40.0), (64.0, 40.0), (48.0, 48.0), (60.0, 16.0)] {
        assert_eq!(at(x, y), CLASS_0, "({x}, {y})");
    }
    assert_ne!(at(48.0, 32.0), CLASS_0);
    Ok(())
}

#[test]
fn ground_truth_is_dashed_and_white() -> Result<(), ReportError> {
    let path = out("truth_only.png");
    let mut only = tile(0);
    only.detections.clear();
    contact_sheet(&path, &sheet(vec![only]))?;
    let image = image::open(&path).expect("a PNG").into_rgb8();
    let top = (172.0 + 20.0 * 3.125) as u32;
    let row: Vec<bool> = (140..250).map(|x| image.get_pixel(x, top).0.iter().all(|&v| v > 230)).collect();
    let changes = row.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!((10..30).contains(&changes), "{changes}");
    Ok(())
}

#[test]
fn odd_input_is_drawn_all_the_same() -> Result<(), ReportError> {
    let mut odd = tile(0);
    odd.caption = "a file name that is much longer than the image is wide and goes on and on.jpeg".to_owned();
    odd.detections[0].class = 93;
    odd.detections[1].box_xyxy = [f32::NAN; 4];
    odd.detections[2].box_xyxy = [-50.0, -50.0, 900.0, 900.0];
    let blank = Tile { image: RgbImage::new(0, 0), ..tile(1) };
    let thin = Tile { image: RgbImage::new(1, 5000), ..tile(2) };
    let mut sheet = sheet(vec![odd, blank, thin]);
    sheet.columns = 0;
    contact_sheet(&out("odd.png"), &sheet)?;
    assert_eq!(image::open(out("odd.png")).expect("a PNG").width(), 1280);
    Ok(())
}

#[test]
fn a_sheet_without_images_is_an_error() {
    let error = contact_sheet(&out("no_tiles.png"), &sheet(Vec::new())).expect_err("no tile");
    assert!(error.to_string().ends_with("no_tiles.png: it has no image"), "{error}");
}

#[test]
fn annotations_wear_the_colours_of_their_classes() {
    let path = out("annotations.png");
    let mut lone = tile(0);
    lone.detections.clear();
    let sheet = Sheet {
        title: "Annotations".to_owned(),
        caption: String::new(),
        class_names: NAMES.map(String::from).to_vec(),
        columns: 1,
        tiles: vec![lone],
    };
    contact_sheet(&path, &sheet).unwrap();
    let dashed = image::open(&path).unwrap().into_rgb8();
    annotation_sheet(&path, &sheet).unwrap();
    let solid = image::open(&path).unwrap().into_rgb8();
    // The swatch of the legend is there in both; outline and name only without a model.
    assert!(pixels_of(&solid, CLASS_0) > pixels_of(&dashed, CLASS_0) + 1000);
}
