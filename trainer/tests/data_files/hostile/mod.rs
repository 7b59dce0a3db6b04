//! Hostile input: each is taken, or mended and said, or refused with file, field and way out. None panics.

use std::path::Path;

use serde_json::Value;
use trainer::data::check::Check;
use trainer::data::{Dataset, EvalTransforms, Key, Transform};

use crate::folder::{Folder, HEIGHT, WIDTH, assert_says, coco_json, png};

mod coco;
mod images;
mod voc;
mod yolo;

/// How a spoilt data set ends.
#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    /// As if nothing were wrong: every image becomes an example.
    Taken,
    /// With a count in the summary line.
    Mended,
    /// With an error when the split is opened.
    Refused,
    /// With an error when an image is decoded.
    Unreadable,
}
use End::{Mended, Refused, Taken, Unreadable};

type Make = fn() -> Folder;
type Case = (&'static str, End, fn(&Folder), &'static [&'static str]);

/// Opens the split `train` of a folder that each case spoils, checks it, and looks for its parts in what is said.
fn try_cases(make: Make, cases: &[Case]) {
    let failures: Vec<String> = cases.iter().filter_map(|case| try_case(make(), case).err()).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn try_case(folder: Folder, &(name, end, spoil, parts): &Case) -> Result<(), String> {
    spoil(&folder);
    let (found, said) = outcome(&folder);
    if found != end {
        return Err(format!("{name}: {found:?} instead of {end:?}: {said}"));
    }
    if let Some(part) = parts.iter().find(|part| !said.contains(**part)) {
        return Err(format!("{name}: `{part}` is not in: {said}"));
    }
    match is_broken(&folder) == matches!(end, Refused | Unreadable) {
        true => Ok(()),
        false => Err(format!("{name}: the check says otherwise")),
    }
}

fn outcome(folder: &Folder) -> (End, String) {
    let set = match folder.open("train") {
        Ok(set) => set,
        Err(error) => return (Refused, error.to_string()),
    };
    for index in 0..set.len() {
        let key = Key { seed: 0, epoch: 0, index: index as u64 };
        match set.sample(index) {
            Ok(sample) => assert_eq!(EvalTransforms { side: 32 }.apply(sample, key).side, 32),
            Err(error) => return (Unreadable, error.to_string()),
        }
    }
    let end = if set.repairs().iter().count() == 0 { Taken } else { Mended };
    (end, set.describe())
}

fn is_broken(folder: &Folder) -> bool {
    let Ok(layout) = folder.layout() else { return true };
    let mut check = Check::new(&layout);
    if let Some(set) = check.read("train") {
        check.decode(&set, &|| ());
    }
    check.finish().is_broken()
}

const JSON: &str = "annotations/instances_train.json";

/// Changes the annotation file of the COCO folder.
fn json(folder: &Folder, change: fn(&mut Value)) {
    let mut json = coco_json();
    change(&mut json);
    folder.write_json("train", &json);
}

/// The first bytes of a PNG of that size, which end before its pixels.
fn png_header(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = png(1, 1, 0);
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    let checksum = crc32(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&checksum.to_be_bytes());
    bytes
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), step))
}

/// Whatever a damaged file says, it is taken, mended or refused: nothing panics.
#[test]
fn cut_and_flipped_bytes() {
    let cases: [(Make, &str); 5] = [
        (Folder::coco, JSON),
        (Folder::yolo, "data.yaml"),
        (Folder::yolo, "labels/train/b.txt"),
        (Folder::voc, "Annotations/b.xml"),
        (Folder::voc, "ImageSets/Main/train.txt"),
    ];
    for (make, file) in cases {
        let folder = make();
        let whole = folder.read(file);
        for place in 0..whole.len() {
            folder.write(file, &whole[..place]);
            _ = folder.open("train");
            // One bit out of eight, another one at each place.
            let mut flipped = whole.clone();
            flipped[place] ^= 1 << (place % 8);
            folder.write(file, flipped);
            _ = folder.open("train");
        }
    }
}

#[cfg(unix)]
#[test]
fn links_that_lead_in_circles() {
    use std::os::unix::fs::symlink;
    let folder = Folder::yolo();
    symlink(folder.path("images/train"), folder.path("images/train/again")).unwrap();
    assert_says(&folder.fault("train"), &["images/train/again", "loop"]);
    assert!(is_broken(&folder));
    let folder = Folder::coco();
    folder.remove("train/b.png");
    symlink(folder.path("train/b.png"), folder.path("train/b.png")).unwrap();
    assert_says(&folder.fault("train"), &["train/b.png", "is missing"]);
    assert!(is_broken(&folder));
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::yolo();
    let name = |extension: &[u8]| {
        folder.path("").join(OsStr::from_bytes(&[b"images/train/\xff.", extension].concat()))
    };
    std::fs::write(name(b"png"), png(WIDTH, HEIGHT, 9)).unwrap();
    let labels = OsStr::from_bytes(b"labels/train/\xff.txt");
    std::fs::write(folder.path("").join(labels), "0 0.5 0.5 0.5 0.5\n").unwrap();
    let (end, said) = outcome(&folder);
    assert_eq!(end, Taken, "{said}");
    assert_says(&said, &["4 images, 4 objects"]);
    std::fs::write(name(b"png"), "").unwrap();
    assert_says(&folder.fault("train"), &["\u{fffd}.png", "the file is empty"]);
}

/// Whoever may read everything (root) cannot be locked out.
#[cfg(unix)]
fn lock(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o0)).unwrap();
    std::fs::File::open(path).is_err()
}

#[cfg(unix)]
#[test]
fn files_that_may_not_be_read() {
    let cases: [(Make, &str); 4] = [
        (Folder::coco, JSON),
        (Folder::yolo, "labels/train/b.txt"),
        (Folder::yolo, "images/train/b.png"),
        (Folder::voc, "Annotations/b.xml"),
    ];
    for (make, file) in cases {
        let folder = make();
        if lock(&folder.path(file)) {
            assert_says(&folder.fault("train"), &["cannot read", file, "ermission denied"]);
        }
    }
}
