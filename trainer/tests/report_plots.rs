//! The figures: they decode, have their size, and show the colours of their curves.

use std::ops::Range;
use std::path::{Path, PathBuf};

use image::RgbImage;
use trainer::report::plots::{EpochMemory, EpochPoint, LeakPoint, LeakRun, LossPoint, MemoryPoint};
use trainer::report::{LeakCurves, LossCurves, MemoryCurve, ReportError, leak_png, loss_png, memory_png};

const BLUE: [u8; 3] = [33, 96, 214];
const GREEN: [u8; 3] = [18, 138, 92];
const ORANGE: [u8; 3] = [217, 95, 2];
const RED: [u8; 3] = [205, 38, 52];
const PURPLE: [u8; 3] = [122, 72, 190];

fn out(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn decode(path: &Path) -> RgbImage {
    image::open(path).expect("a PNG").into_rgb8()
}

/// Mean row of the pixels of a colour inside the plot area, left of the labels.
fn mean_row(image: &RgbImage, color: [u8; 3], rows: Range<u32>) -> f64 {
    let found: Vec<u32> = image
        .enumerate_pixels()
        .filter(|(x, y, pixel)| *x < 1280 && rows.contains(y) && pixel.0 == color)
        .map(|(_, y, _)| y)
        .collect();
    assert!(found.len() > 300, "{color:?} is drawn in {rows:?}: {} pixels", found.len());
    found.iter().map(|&y| f64::from(y)).sum::<f64>() / found.len() as f64
}

fn noise(i: u64) -> f64 {
    let mixed = i.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (mixed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
}

fn loss_point(step: u64) -> LossPoint {
    let fall = (-(step as f64) / 220.0).exp();
    let term =
        |floor: f64, drop: f64, seed: u64| (floor + drop * fall) * (1.0 + 0.35 * noise(step * 7 + seed));
    let (vfl, bbox, giou) = (term(3.1, 2.0, 1), term(2.2, 3.6, 2), term(3.4, 4.4, 3));
    let lr = 5e-4 * (step as f64 / 100.0).min(1.0);
    LossPoint { step, loss: vfl + bbox + giou, vfl, bbox, giou, lr }
}

fn training(epochs: u64, per_epoch: u64) -> LossCurves {
    let epoch = |epoch: u64| {
        let done = (epoch + 1) as f64 / epochs as f64;
        let ap = 0.72 * (1.0 - (-3.2 * done).exp());
        let (step, seconds) = ((epoch + 1) * per_epoch, 723.0 * done);
        EpochPoint { epoch, step, ap, ap50: ap.powf(0.45), ap75: ap.powf(0.9), seconds }
    };
    LossCurves {
        steps: (1..=epochs * per_epoch).map(loss_point).collect(),
        epochs: (0..epochs).map(epoch).collect(),
    }
}

fn memory(epochs: u64, per_epoch: u64, end: impl Fn(u64) -> u64) -> MemoryCurve {
    let point = |step: u64| MemoryPoint {
        step,
        live_bytes: 53_214_004 + 196_608 * (step % 3),
        peak_bytes: (311e6 + 60e6 * noise(step)) as u64,
        rss_bytes: (690e6 + 120e6 * (1.0 - (-(step as f64) / 30.0).exp())) as u64,
    };
    let epoch = |epoch| EpochMemory { epoch, step: (epoch + 1) * per_epoch, live_bytes: end(epoch) };
    MemoryCurve {
        steps: (1..=epochs * per_epoch).map(point).collect(),
        epochs: (0..epochs).map(epoch).collect(),
    }
}

fn leak_run(name: &str, kept: u64, nodes: u64, heap: u64) -> LeakRun {
    let point = |step| LeakPoint {
        step,
        live_bytes: 61_000_000 + kept * step,
        graph_nodes: nodes * step,
        heap_bytes: 42_000_000 + heap * step,
    };
    LeakRun { name: name.to_owned(), points: (1..=200).map(point).collect() }
}

fn leak() -> LeakCurves {
    LeakCurves {
        wrong: leak_run("losses and\nfeatures kept", 4_210_688, 1_630, 310_000),
        policy: leak_run("as the policy asks", 0, 0, 0),
    }
}

#[test]
fn the_loss_figure_shows_every_curve() -> Result<(), ReportError> {
    let path = out("loss.png");
    loss_png(&path, &training(12, 78))?;
    let image = decode(&path);
    assert_eq!(image.dimensions(), (1600, 1400));
    // The total lies above each of its terms, and AP50 above AP.
    let total = mean_row(&image, BLUE, 200..600);
    for term in [GREEN, ORANGE, PURPLE] {
        assert!(total + 30.0 < mean_row(&image, term, 200..600));
    }
    assert!(mean_row(&image, GREEN, 740..1060) + 30.0 < mean_row(&image, BLUE, 740..1060));
    Ok(())
}

#[test]
fn a_run_that_just_began_or_diverged_is_drawn() -> Result<(), ReportError> {
    let mut curves = training(1, 3);
    curves.epochs.clear();
    curves.steps[1].loss = f64::NAN;
    loss_png(&out("loss_begun.png"), &curves)?;
    mean_row(&decode(&out("loss_begun.png")), BLUE, 200..900);
    curves.steps.iter_mut().for_each(|point| point.loss = f64::INFINITY);
    loss_png(&out("loss_diverged.png"), &curves)?;
    mean_row(&decode(&out("loss_diverged.png")), GREEN, 200..900);
    Ok(())
}

#[test]
fn a_long_run_is_drawn() -> Result<(), ReportError> {
    loss_png(&out("loss_long.png"), &training(72, 700))?;
    mean_row(&decode(&out("loss_long.png")), BLUE, 200..600);
    Ok(())
}

#[test]
fn nothing_to_draw_is_an_error_that_names_the_file() {
    let error = loss_png(&out("none.png"), &LossCurves::default()).expect_err("no step");
    assert!(error.to_string().ends_with("none.png: it has no training step"), "{error}");
    assert!(leak_png(&out("none.png"), &LeakCurves::default()).is_err());
    assert!(memory_png(&out("none.png"), &MemoryCurve::default()).is_err());
    assert!(!out("none.png").exists());
}

#[test]
fn the_memory_figure_shows_live_peak_and_process() -> Result<(), ReportError> {
    let path = out("memory.png");
    memory_png(&path, &memory(12, 78, |_| 53_214_004))?;
    let image = decode(&path);
    assert_eq!(image.dimensions(), (1600, 1200));
    assert!(mean_row(&image, ORANGE, 200..720) + 100.0 < mean_row(&image, BLUE, 200..720));
    mean_row(&image, PURPLE, 800..1150);
    Ok(())
}

#[test]
fn the_verdict_is_exact() {
    let verdict = |end: fn(u64) -> u64| memory(3, 10, end).verdict();
    assert_eq!(
        verdict(|_| 53_214_004),
        "Live tensor bytes at the end of every epoch: 53,214,004, equal to the byte"
    );
    assert_eq!(
        verdict(|epoch| if epoch == 0 { 1 } else { 53_214_004 }),
        "Live tensor bytes at the end of every epoch after the first: 53,214,004, equal to the byte"
    );
    assert_eq!(
        verdict(|epoch| 53_214_004 + epoch),
        "Live tensor bytes at epoch ends differ: 53,214,004 to 53,214,006"
    );
    assert_eq!(memory(1, 10, |_| 9).verdict(), "Live tensor bytes at the end of epoch 1: 9");
    // Two epochs that differ prove nothing about "after the first".
    assert!(memory(2, 10, |epoch| epoch).verdict().contains("differ"));
}

#[test]
fn the_leak_figure_shows_one_curve_rise_and_the_other_stay() -> Result<(), ReportError> {
    let path = out("leak.png");
    leak_png(&path, &leak())?;
    let image = decode(&path);
    assert_eq!(image.dimensions(), (1600, 1500));
    for rows in [200..560, 650..1000, 1100..1420] {
        let (wrong, policy) = (mean_row(&image, RED, rows.clone()), mean_row(&image, BLUE, rows));
        assert!(wrong + 20.0 < policy, "{wrong} {policy}");
    }
    Ok(())
}

#[test]
fn growth_per_step_leaves_the_first_tenth_out() {
    let curves = leak();
    assert_eq!(curves.wrong.live_bytes_per_step(), 4_210_688.0);
    assert_eq!(curves.policy.live_bytes_per_step(), 0.0);
    let mut warm_up = curves.policy;
    warm_up.points.iter_mut().take(10).for_each(|point| point.live_bytes = 0);
    assert_eq!(warm_up.live_bytes_per_step(), 0.0);
}
