//! `trainer predict`: what it reads, what it leaves, and what it never touches.

mod support;

use std::io::Write;
use std::process::Stdio;

use image::{DynamicImage, GenericImageView, ImageFormat};
use serde_json::Value;
use support::cli::{Outcome, Place, command, picture};

/// Untrained weights score low, so that everything is above this threshold.
const PREDICT: &str = "predict --weights run --threads 1 --device cpu --threshold 0";

/// A working folder with weights in `run`.
fn place() -> Place {
    let place = Place::new();
    place.add_weights("run");
    place
}

fn add(place: &Place, name: &str, width: u32, height: u32) {
    place.write(name, picture(name, width, height));
}

fn open(place: &Place, name: &str) -> DynamicImage {
    image::open(place.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn detections(record: &Value) -> &Vec<Value> {
    record["detections"].as_array().expect("a list")
}

/// Panics unless every box lies in its image, scores descend and names belong to labels.
fn assert_sound(record: &Value) {
    let names = ["circle", "square", "triangle", "star", "ring"];
    let mut before = 1.0;
    for found in detections(record) {
        let score = found["score"].as_f64().expect("a score");
        assert!((0.0..=before).contains(&score), "{record}");
        before = score;
        let edge = |i: usize| found["box_xyxy"][i].as_f64().expect("a number");
        let size = |side: &str| record[side].as_f64().expect("a number");
        assert!(0.0 <= edge(0) && edge(0) <= edge(2) && edge(2) <= size("width"), "{record}");
        assert!(0.0 <= edge(1) && edge(1) <= edge(3) && edge(3) <= size("height"), "{record}");
        let label = found["label"].as_u64().expect("a label") as usize;
        assert_eq!(found["name"], names[label], "{record}");
    }
}

#[test]
fn files_and_folders_become_pictures_json_and_csv() {
    let place = place();
    for (name, width, height) in [
        ("photos/a.png", 90, 40),
        ("photos/deep/a.png", 30, 60),
        ("photos/b.JPG", 70, 70),
        ("other/a.png", 33, 44),
    ] {
        place.write(name, picture(&name.to_lowercase(), width, height));
    }
    place.write("photos/notes.txt", "no image");
    place.write("photos/.hidden.png", "no image");
    let args =
        format!("{PREDICT} photos other/a.png --out found --json found.json --csv found.csv --batch 3");
    place.run(&args).succeeded().says(&["4 images to predict on", "on 4 images; look at found"]);

    let sizes = [("a.png", 90, 40), ("b.JPG", 70, 70), ("deep/a.png", 30, 60), ("a-2.png", 33, 44)];
    for (name, width, height) in sizes {
        assert_eq!(open(&place, &format!("found/{name}")).dimensions(), (width, height), "{name}");
    }
    let bytes = std::fs::read(place.path("found/b.JPG")).expect("a picture");
    assert_eq!(image::guess_format(&bytes).expect("an image"), ImageFormat::Jpeg);
    let records = place.json("found.json");
    let records = records.as_array().expect("a list");
    let field = |name: &str| records.iter().map(|r| r[name].as_str().expect("text")).collect::<Vec<_>>();
    assert_eq!(field("file"), ["photos/a.png", "photos/b.JPG", "photos/deep/a.png", "other/a.png"]);
    assert_eq!(field("picture"), ["found/a.png", "found/b.JPG", "found/deep/a.png", "found/a-2.png"]);
    records.iter().for_each(assert_sound);
    let found: usize = records.iter().map(|record| detections(record).len()).sum();
    let csv = std::fs::read_to_string(place.path("found.csv")).expect("a table");
    assert_eq!(csv.lines().next(), Some("file,label,name,score,left,top,right,bottom"));
    assert_eq!(csv.lines().count(), found + 1);
    assert!(found > 4 && csv.lines().skip(1).all(|line| line.split(',').count() == 8), "{csv}");
}

#[test]
fn threshold_and_top_k_limit_what_is_reported() {
    let place = place();
    add(&place, "a.png", 64, 64);
    let scores = |flags: &str| -> Vec<f64> {
        let args = format!("predict --weights run --threads 1 --out out --json found.json a.png {flags}");
        place.run(&args).succeeded();
        detections(&place.json("found.json")[0])
            .iter()
            .map(|d| d["score"].as_f64().expect("a score"))
            .collect()
    };
    let all = scores("--threshold 0 --top-k 1000");
    assert!(all.len() > 10, "{}", all.len());
    assert_eq!(scores("--threshold 0 --top-k 3"), all[..3]);
    let middle = all[all.len() / 2];
    let expected: Vec<f64> = all.iter().copied().filter(|&score| score >= middle).collect();
    assert_eq!(scores(&format!("--threshold {middle}")), expected[..expected.len().min(100)]);
    assert!(scores("--threshold 1").is_empty());
}

fn predict_stdin(place: &Place, args: &str, bytes: &[u8]) -> Outcome {
    let mut command = command(place.folder(), args.split(' '));
    let mut child = command.stdin(Stdio::piped()).spawn().expect("the binary starts");
    child.stdin.take().expect("a pipe").write_all(bytes).expect("the binary reads");
    child.wait_with_output().expect("the process ends").into()
}

#[test]
fn an_image_on_standard_input_becomes_json_on_standard_output() {
    let place = place();
    let outcome = predict_stdin(&place, &format!("{PREDICT} -"), &picture("a.png", 50, 20)).succeeded();
    let records: Value = serde_json::from_str(&outcome.stdout).expect("nothing but JSON");
    assert_eq!((records[0]["width"].as_u64(), records[0]["height"].as_u64()), (Some(50), Some(20)));
    assert_eq!((&records[0]["file"], &records[0]["picture"]), (&"-".into(), &Value::Null));
    assert_sound(&records[0]);
    let entries = std::fs::read_dir(place.folder()).expect("a folder").count();
    assert_eq!(entries, 2, "a file was left beside `run` and `tiny.toml`");

    let outcome =
        predict_stdin(&place, &format!("{PREDICT} - --out out"), &picture("a.png", 50, 20)).succeeded();
    assert!(outcome.stdout.contains("out/stdin.png"), "{}", outcome.stdout);
    assert_eq!(open(&place, "out/stdin.png").dimensions(), (50, 20));
    let broken = predict_stdin(&place, &format!("{PREDICT} -"), b"no image");
    broken.says(&["skipped", "standard input"]);
    assert_eq!(broken.code, Some(1));
    place.run(&format!("{PREDICT} - run")).failed_saying(&["`-`", "nothing beside it"]);
}

#[test]
fn what_cannot_be_read_is_reported_and_the_rest_is_done() {
    let place = place();
    add(&place, "photos/a.png", 40, 40);
    add(&place, "photos/z.jpg", 40, 40);
    let whole = picture("a.jpg", 60, 60);
    place.write("photos/cut.jpg", &whole[..whole.len() / 2]);
    place.write("photos/empty.png", "");
    place.write("photos/text.png", "this is text");
    let outcome =
        place.run(&format!("{PREDICT} photos gone.png --out found --json found.json --csv found.csv"));
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    outcome.says(&[
        "cut.jpg",
        "ends early",
        "empty.png",
        "the file is empty",
        "text.png",
        "gone.png",
        "No such file",
        "on 2 images; 4 images could not be read; look at found",
    ]);
    assert_eq!(open(&place, "found/a.png").dimensions(), (40, 40));
    assert_eq!(open(&place, "found/z.jpg").dimensions(), (40, 40));
    let records = place.json("found.json");
    let failed = records.as_array().expect("a list").iter().filter(|record| record["error"].is_string());
    assert_eq!((failed.count(), records.as_array().expect("a list").len()), (4, 6));
}

#[test]
fn images_are_never_overwritten() {
    let place = place();
    add(&place, "photos/a.png", 40, 40);
    let before = std::fs::read(place.path("photos/a.png")).expect("the image");
    let refused = |args: &str| {
        place.run(&format!("{PREDICT} {args}")).failed_saying(&[
            "a.png",
            "would be overwritten",
            "another place",
        ]);
    };
    refused("photos/a.png --out photos");
    refused("photos/a.png --out photos/../photos/");
    refused("photos/a.png --out found --json photos/a.png");
    refused("photos --out found --csv photos/a.png");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(place.path("photos"), place.path("link")).expect("a link");
        refused("photos/a.png --out link");
    }
    assert!(std::fs::read(place.path("photos/a.png")).expect("the image") == before);
    assert!(!place.path("found").exists(), "nothing is written before the check");
    // An output folder among the images is not read again.
    for _ in 0..2 {
        place
            .run(&format!("{PREDICT} photos --out photos/found"))
            .succeeded()
            .says(&["1 image to predict on"]);
    }
}

/// Turned as the EXIF data say, and every kind of pixel in its own size.
#[test]
fn orientation_is_followed_and_every_kind_of_pixel_is_read() {
    let place = place();
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/decode");
    let names = ["exif6.jpg", "cmyk.jpg", "grey.jpg", "grey16.png", "rgba16.png", "palette.png", "rgb.webp"];
    let images = names.map(|name| fixtures.join(name).display().to_string()).join(" ");
    place.run(&format!("{PREDICT} {images} --out found --json found.json")).succeeded();
    let records = place.json("found.json");
    for (i, name) in names.into_iter().enumerate() {
        let stored = image::image_dimensions(fixtures.join(name)).expect("an image");
        let shown = if name == "exif6.jpg" { (stored.1, stored.0) } else { stored };
        let size = |side: &str| records[i][side].as_u64().expect("a number") as u32;
        assert_eq!((size("width"), size("height")), shown, "{name}");
        let picture = records[i]["picture"].as_str().expect("a path");
        assert_eq!(open(&place, picture).dimensions(), shown, "{picture}");
        assert_sound(&records[i]);
    }
    let (width, height) = image::image_dimensions(fixtures.join("exif6.jpg")).expect("an image");
    assert_ne!(width, height, "a square shows no turn");
}

#[test]
fn without_out_the_folder_is_numbered() {
    let place = place();
    add(&place, "a.jpg", 40, 40);
    for folder in ["predictions", "predictions-2", "predictions-3"] {
        place.run(&format!("{PREDICT} a.jpg")).succeeded();
        assert_eq!(open(&place, &format!("{folder}/a.jpg")).dimensions(), (40, 40));
    }
    place.run(&format!("{PREDICT} a.jpg --csv found.csv")).succeeded();
    assert!(
        place.path("found.csv").exists() && !place.path("predictions-4").exists(),
        "copies nobody asked for"
    );
}

#[test]
fn faults_of_the_command_line_are_told() {
    let place = place();
    let fails = |args: &str, parts: &[&str]| place.run(&format!("predict {args}")).failed_saying(parts);
    std::fs::create_dir(place.path("empty")).expect("a folder");
    add(&place, "a.png", 40, 40);
    fails("--weights run empty", &["no image in empty", "jpg", "png"]);
    fails("--weights none a.png", &["none", "No such file"]);
    fails("--weights empty a.png", &["empty holds neither best.safetensors nor last.safetensors"]);
    fails("--weights tiny.toml a.png", &["tiny.toml", "not a whole safetensors file"]);
    fails("--weights run a.png --threshold 1.5", &["--threshold", "from 0 to 1"]);
    fails("--weights run a.png --threshold nan", &["--threshold", "from 0 to 1"]);
    fails("--weights run a.png --batch 0", &["--batch", "at least 1"]);
    fails("--weights run a.png --device gpu", &["--device gpu", "cuda:N"]);
    fails("--weights run", &["IMAGE|FOLDER|-"]);
    fails("--weights run a.png --json gone/found.json", &["gone/found.json", "check that the folder exists"]);
    assert!(!place.path("predictions").exists());
}
