//! Pictures of an evaluation and of predictions: they decode, have their size, and show what they should where.

use std::path::{Path, PathBuf};

use image::{Rgb, RgbImage};
use trainer::report::boxes::Detection;
use trainer::report::plots::{BestPoint, PrecisionCurve};
use trainer::report::{
    ConfusionTable, PrecisionFigure, ReportError, confusion_png, draw_detections, precision_recall_png,
};

/// The colours of the classes 0 and 1, and of the diagonal.
const CLASS_0: [u8; 3] = [230, 57, 70];
const CLASS_1: [u8; 3] = [29, 120, 222];
const RIGHT: [u8; 3] = [33, 96, 214];

fn out(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn pixels_of(image: &RgbImage, color: [u8; 3]) -> usize {
    image.pixels().filter(|pixel| pixel.0 == color).count()
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|class| format!("class number {class}")).collect()
}

fn curve(class: usize, reach: usize) -> PrecisionCurve {
    let precision = (0..101).map(|r| if r <= reach { 1.0 - r as f64 / 200.0 } else { 0.0 }).collect();
    let best = Some(BestPoint { recall: reach as f64 / 100.0, precision: 0.6, score: 0.5 });
    PrecisionCurve { class, name: format!("class number {class}"), precision, best }
}

#[test]
fn a_curve_runs_from_the_left_to_the_recall_that_is_reached() -> Result<(), ReportError> {
    let path = out("one_curve.png");
    let figure = PrecisionFigure { subject: "photographs/val".into(), classes: vec![curve(1, 50)] };
    precision_recall_png(&path, &figure)?;
    let image = image::open(&path).expect("a PNG").into_rgb8();
    assert_eq!(image.dimensions(), (1600, 1100));
    // The plot area lies between x 120 and 1280; the recall 0.5 is its middle, and the dot there has a radius.
    let columns = image.enumerate_pixels().filter(|(x, _, pixel)| *x < 1280 && pixel.0 == CLASS_1);
    let (low, high) = columns.fold((u32::MAX, 0), |(low, high), (x, ..)| (low.min(x), high.max(x)));
    assert!((118..=124).contains(&low) && (698..=712).contains(&high), "{low} to {high}");
    Ok(())
}

#[test]
fn eighty_classes_are_drawn_too() -> Result<(), ReportError> {
    let classes: Vec<_> = (0..80).map(|class| curve(class, 10 + class)).collect();
    precision_recall_png(&out("many_curves.png"), &PrecisionFigure { subject: String::new(), classes })?;
    let counts =
        (0..81).map(|t| (0..81).map(|f| if t == f { 40 } else { u64::from((t * f) % 7 == 3) }).collect());
    let table = ConfusionTable { subject: "all".into(), class_names: names(80), counts: counts.collect() };
    confusion_png(&out("many_classes.png"), &table)?;
    let image = image::open(out("many_classes.png")).expect("a PNG");
    assert!((1200..2000).contains(&image.width()) && (1200..2000).contains(&image.height()), "{image:?}");
    Ok(())
}

#[test]
fn a_cell_takes_its_share_of_the_colour() -> Result<(), ReportError> {
    let path = out("confusion.png");
    let counts = vec![vec![8, 0, 0], vec![0, 3, 9], vec![1, 0, 0]];
    confusion_png(&path, &ConfusionTable { subject: "x".into(), class_names: names(2), counts })?;
    let image = image::open(&path).expect("a PNG").into_rgb8();
    // One cell of 120 by 120 pixels is all right, less its border and number.
    let whole = pixels_of(&image, RIGHT);
    assert!((12_000..14_400).contains(&whole), "{whole} pixels");
    Ok(())
}

#[test]
fn nothing_to_draw_is_an_error() {
    let empty = PrecisionFigure { subject: String::new(), classes: Vec::new() };
    let error = precision_recall_png(&out("none.png"), &empty).expect_err("no class");
    assert!(error.to_string().ends_with("none.png: it has no class with objects"), "{error}");
    let table = ConfusionTable { subject: String::new(), class_names: Vec::new(), counts: vec![vec![0]] };
    let error = confusion_png(&out("none.png"), &table).expect_err("no class");
    assert!(error.to_string().ends_with("none.png: it has no class"), "{error}");
}

fn detection(class: usize, box_xyxy: [f32; 4]) -> Detection {
    Detection { class, score: 0.87, box_xyxy }
}

#[test]
fn boxes_stand_where_they_are_at_every_size() {
    for (width, height) in [(64, 48), (640, 480), (4000, 3000)] {
        let (w, h) = (width as f32, height as f32);
        let found = [detection(0, [0.5 * w, 0.5 * h, 0.9 * w, 0.9 * h])];
        let picture = draw_detections(RgbImage::from_pixel(width, height, Rgb([90; 3])), &found, &names(2));
        assert_eq!(picture.dimensions(), (width, height));
        let at = |x: f32, y: f32| picture.get_pixel((x * w) as u32, (y * h) as u32).0;
        for (x, y) in [(0.5, 0.8), (0.9, 0.6), (0.88, 0.9)] {
            // The thin line of a small image covers its pixels in part.
            let away: u8 =
                at(x, y).iter().zip(CLASS_0).map(|(a, b)| a.abs_diff(b)).max().expect("three channels");
            assert!(away < 60, "({x}, {y}) at {width}x{height} is {:?}", at(x, y));
        }
        assert_eq!(at(0.7, 0.7), [90; 3], "the inside stays free at {width}x{height}");
    }
}

/// Lines keep their weight relative to the image, less on small ones.
#[test]
fn lines_grow_with_the_image() {
    let share = |side: u32| {
        let s = side as f32;
        let found = [detection(1, [0.1 * s, 0.1 * s, 0.9 * s, 0.9 * s])];
        let picture = draw_detections(RgbImage::new(side, side), &found, &[String::new(), String::new()]);
        let row: Vec<_> = (0..side).map(|x| picture.get_pixel(x, side / 2).0 == CLASS_1).collect();
        row.iter().filter(|&&colored| colored).count() as f32 / 2.0
    };
    let (small, large) = (share(640), share(4000));
    assert!((2.0..5.0).contains(&small) && (10.0..14.0).contains(&large), "{small} and {large} pixels");
}

#[test]
fn odd_boxes_and_images_are_drawn_all_the_same() {
    let odd = [
        detection(0, [f32::NAN, 0.0, 5.0, 5.0]),
        detection(7, [-900.0, -900.0, 9000.0, 9000.0]),
        detection(1, [5.0, 5.0, 2.0, 2.0]),
    ];
    for (width, height) in [(1, 1), (3, 2000), (2000, 3)] {
        let picture = draw_detections(RgbImage::new(width, height), &odd, &names(2));
        assert_eq!(picture.dimensions(), (width, height));
    }
    let untouched = RgbImage::from_pixel(9, 9, Rgb([1, 2, 3]));
    assert_eq!(draw_detections(untouched.clone(), &[], &names(2)), untouched);
}
