//! Hostile input: each is taken, or mended and said, or refused with file, field and way out. None panics.

use std::path::Path;

use serde_json::{Value, json};
use trainer::data::check::Check;
use trainer::data::{Dataset, EvalTransforms, Key, Transform};

use super::folder::{Folder, HEIGHT, WIDTH, assert_says, coco_json, jpeg, png};

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

type Case = (&'static str, End, fn(&Folder), &'static [&'static str]);

/// Opens the split `train` of a folder that each case spoils, checks it, and looks for its parts in what is said.
fn try_cases(make: fn() -> Folder, cases: &[Case]) {
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

/// Gives the first annotation another box.
macro_rules! bbox {
    ($value:tt) => {
        |folder| json(folder, |json| json["annotations"][0]["bbox"] = json!($value))
    };
}

const COCO: &[Case] = &[
    ("as it should be", Taken, |_| (), &["3 images, 3 objects"]),
    (
        "zero-byte file",
        Refused,
        |f| f.write(JSON, ""),
        &["instances_train.json", "not valid JSON", "empty or cut off"],
    ),
    (
        "cut off",
        Refused,
        |f| f.write(JSON, &f.read(JSON)[..200]),
        &["line 1 column 200", "cut off: copy or export it again"],
    ),
    ("trailing comma", Refused, |f| f.edit(JSON, "}]}", "},]}"), &["trailing comma", "take that comma out"]),
    (
        "NaN",
        Refused,
        |f| f.edit(JSON, "[0.0,0.0,32.0", "[NaN,0.0,32.0"),
        &["not valid JSON", "JSON has no NaN"],
    ),
    (
        "number beyond all bounds",
        Refused,
        |f| f.edit(JSON, "[0.0,0.0,32.0", "[0.0,0.0,1e999"),
        &["number out of range", "line 1"],
    ),
    (
        "text after the end",
        Refused,
        |f| f.write(JSON, [f.read(JSON), b"{}".to_vec()].concat()),
        &["trailing characters"],
    ),
    (
        "byte order mark and Windows line ends",
        Taken,
        |f| {
            let text = String::from_utf8(f.read(JSON)).unwrap().replace(",\"", ",\r\n\"");
            f.write(JSON, format!("\u{feff}{text}"));
        },
        &["3 objects"],
    ),
    ("UTF-16", Refused, |f| f.write(JSON, b"\xff\xfe{\0}\0"), &["UTF-16", "save the file as UTF-8"]),
    (
        "broken UTF-8 in a name",
        Refused,
        |f| {
            let bytes = f.read(JSON);
            let at = bytes.windows(5).position(|part| part == b"b.png").unwrap();
            f.write(JSON, [&bytes[..at], b"\xff", &bytes[at + 1..]].concat());
        },
        &["instances_train.json", "not valid JSON"],
    ),
    (
        "nested a hundred thousand deep",
        Taken,
        |f| {
            let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
            f.edit(JSON, "{\"annotations\"", &format!("{{\"info\":{open}{close},\"annotations\""));
        },
        &["3 objects"],
    ),
    (
        "a list of results",
        Refused,
        |f| f.write(JSON, "[{\"image_id\": 1}]"),
        &["a list (of results?)", "`images`, `annotations` and `categories`"],
    ),
    ("no object at all", Refused, |f| f.write(JSON, "null"), &["invalid type: null"]),
    (
        "no categories",
        Refused,
        |f| json(f, |j| _ = j.as_object_mut().unwrap().remove("categories")),
        &["missing field `categories`"],
    ),
    (
        "empty categories",
        Refused,
        |f| json(f, |j| j["categories"] = json!([])),
        &["`categories` is wrong: empty"],
    ),
    (
        "images twice",
        Refused,
        |f| f.edit(JSON, "{\"annotations\"", "{\"images\":[],\"annotations\""),
        &["duplicate field `images`"],
    ),
    (
        "width as text",
        Refused,
        |f| json(f, |j| j["images"][0]["width"] = json!("64")),
        &["`images[0].width`", "invalid type: string \"64\""],
    ),
    (
        "negative width",
        Refused,
        |f| json(f, |j| j["images"][1]["width"] = json!(-64)),
        &["`images[1].width`", "-64"],
    ),
    (
        "width beyond all bounds",
        Refused,
        |f| json(f, |j| j["images"][1]["width"] = json!(1e30)),
        &["`images[1].width`", "1e+30"],
    ),
    (
        "no size",
        Mended,
        |f| json(f, |j| j["images"][1]["width"] = json!(0)),
        &["sizes of 0 taken from the image: 1", "images[1]"],
    ),
    ("box of three numbers", Refused, bbox!([1, 2, 3]), &["`annotations[0].bbox`", "array of length 4"]),
    ("box of text", Refused, bbox!(["1", 2, 3, 4]), &["`annotations[0].bbox[0]`", "string"]),
    (
        "no box",
        Refused,
        |f| json(f, |j| _ = j["annotations"][1].as_object_mut().unwrap().remove("bbox")),
        &["annotations[1]", "missing field `bbox`"],
    ),
    (
        "inverted box",
        Mended,
        bbox!([30, 30, -10, 5]),
        &["2 objects", "without area dropped: 1", "annotations[0].bbox (right)"],
    ),
    ("box without height", Mended, bbox!([3, 3, 10, 0]), &["2 objects", "annotations[0].bbox (bottom)"]),
    (
        "box beside the image",
        Mended,
        bbox!([64, 3, 10, 5]),
        &["2 objects", "boxes outside the image dropped: 1"],
    ),
    (
        "box of astronomic width",
        Mended,
        bbox!([3, 3, 1e300, 5]),
        &["3 objects", "clipped to the image: 1", "(right)"],
    ),
    (
        "area below zero",
        Mended,
        |f| json(f, |j| j["annotations"][0]["area"] = json!(-5)),
        &["areas below 0", "annotations[0].area"],
    ),
    (
        "two images of one id",
        Refused,
        |f| json(f, |j| j["images"][1]["id"] = json!(30)),
        &["`images[1].id`", "30, which `images[0]` has too"],
    ),
    (
        "negative image id",
        Refused,
        |f| json(f, |j| j["images"][1]["id"] = json!(-1)),
        &["`images[1].id`", "-1, expected at least 0"],
    ),
    (
        "image id as text",
        Refused,
        |f| json(f, |j| j["images"][1]["id"] = json!("000001")),
        &["`images[1].id`", "000001", "i64"],
    ),
    (
        "two annotations of one id",
        Mended,
        |f| json(f, |j| j["annotations"][1]["id"] = json!(1)),
        &["3 objects", "under an id that is taken", "annotations[1].id"],
    ),
    (
        "two categories of one id",
        Refused,
        |f| json(f, |j| j["categories"][1]["id"] = json!(7)),
        &["`categories[1].id`", "`categories[0]` has too"],
    ),
    (
        "category that is not declared",
        Refused,
        |f| json(f, |j| j["annotations"][0]["category_id"] = json!(99)),
        &["`annotations[0].category_id`", "99", "declares: 3, 7"],
    ),
    (
        "annotation of a missing image",
        Mended,
        |f| json(f, |j| j["annotations"][0]["image_id"] = json!(99)),
        &["2 objects", "not listed left out: 1", "annotations[0].image_id"],
    ),
    (
        "name that climbs out",
        Refused,
        |f| json(f, |j| j["images"][0]["file_name"] = json!("../train/b.png")),
        &["`images[0].file_name`", "../train/b.png", "take out `..`"],
    ),
    (
        "absolute name",
        Refused,
        |f| json(f, |j| j["images"][0]["file_name"] = json!("/etc/passwd")),
        &["`images[0].file_name`", "do not leave it"],
    ),
    (
        "every name climbs out",
        Refused,
        |f| json(f, |j| (0..3).for_each(|i| j["images"][i]["file_name"] = json!("..\\b.png"))),
        &["file_name`", "take out `..`"],
    ),
    (
        "empty name",
        Refused,
        |f| json(f, |j| j["images"][0]["file_name"] = json!("")),
        &["`images[0].file_name`"],
    ),
    (
        "image that is missing",
        Refused,
        |f| f.remove("train/b.png"),
        &["train/b.png` is missing", "`images[0].file_name`", "take the entry out"],
    ),
    (
        "all images missing",
        Refused,
        |f| {
            f.remove("train");
            f.remove("val");
        },
        &["the first is named `a.png`", "none of these folders"],
    ),
    (
        "folder in place of an image",
        Refused,
        |f| {
            f.remove("train/b.png");
            f.write("train/b.png/x", "");
        },
        &["train/b.png` is missing"],
    ),
    (
        "folder in place of the file",
        Refused,
        |f| {
            f.remove(JSON);
            f.write(&format!("{JSON}/x"), "");
        },
        &["split `train`", "splits found: val"],
    ),
    (
        "no images",
        Refused,
        |f| json(f, |j| j["images"] = json!([])),
        &["`train` is empty", "fill its list `images`"],
    ),
    (
        "image of another size",
        Unreadable,
        |f| f.write("train/b.png", png(WIDTH, HEIGHT + 2, 0)),
        &["image id 30 says 64x48", "64x50"],
    ),
    ("zero-byte image", Unreadable, |f| f.write("train/b.png", ""), &["train/b.png", "the file is empty"]),
    (
        "page of text in place of an image",
        Unreadable,
        |f| f.write("train/b.png", "<html>"),
        &["cannot decode", "train/b.png", "replace the file"],
    ),
    (
        "cut off PNG",
        Unreadable,
        |f| f.write("train/b.png", &f.read("train/b.png")[..300]),
        &["cannot decode", "train/b.png"],
    ),
    (
        "cut off JPEG",
        Unreadable,
        |f| {
            let j = jpeg(WIDTH, HEIGHT, 0);
            f.write("train/b.png", &j[..j.len() - 9])
        },
        &["train/b.png", "ends early"],
    ),
    (
        "JPEG under the name of a PNG",
        Taken,
        |f| f.write("train/b.png", jpeg(WIDTH, HEIGHT, 0)),
        &["3 objects"],
    ),
    (
        "image of one pixel",
        Mended,
        |f| {
            f.write("train/b.png", png(1, 1, 0));
            json(f, |j| {
                j["images"][0]["width"] = json!(1);
                j["images"][0]["height"] = json!(1)
            });
        },
        &["2 objects", "clipped to the image: 1"],
    ),
    (
        "image of 20000 by 20 pixels",
        Taken,
        |f| {
            f.write("train/b.png", png(20_000, 20, 0));
            json(f, |j| {
                j["images"][0] = json!({"id": 30, "file_name": "b.png", "width": 20_000, "height": 20});
                (j["annotations"][0]["bbox"], j["annotations"][2]["bbox"]) =
                    (json!([0, 0, 19_999, 20]), json!([5, 5, 5, 5]));
            });
        },
        &["3 objects"],
    ),
    (
        "image that claims 10 gigapixels",
        Unreadable,
        |f| {
            f.write("train/b.png", png_header(100_000, 100_000));
            json(f, |j| {
                (j["images"][0]["width"], j["images"][0]["height"]) = (json!(100_000), json!(100_000))
            });
        },
        &["cannot decode", "train/b.png"],
    ),
];

const YOLO: &[Case] = &[
    ("as it should be", Taken, |_| (), &["3 images, 3 objects"]),
    (
        "class out of range",
        Refused,
        |f| f.write("labels/train/c.txt", "\n2 0.5 0.5 0.1 0.1"),
        &["c.txt` line 2", "`class` is `2`", "from 0 to 1", "add the class to `names`"],
    ),
    (
        "class name in place of its index",
        Refused,
        |f| f.write("labels/train/c.txt", "cat 0.5 0.5 0.1 0.1"),
        &["`class` is `cat`"],
    ),
    (
        "four columns",
        Refused,
        |f| f.write("labels/train/c.txt", "0 0.5 0.5 0.1"),
        &["c.txt` line 1", "of 4 columns, expected 5"],
    ),
    ("six columns", Refused, |f| f.write("labels/train/c.txt", "0 0.5 0.5 0.1 0.1 0.99"), &["of 6 columns"]),
    (
        "NaN",
        Refused,
        |f| f.write("labels/train/c.txt", "0 nan 0.5 0.1 0.1"),
        &["`centre x` is `nan`", "share of the image"],
    ),
    (
        "infinite side",
        Refused,
        |f| f.write("labels/train/c.txt", "0 0.5 0.5 0.1 1e999"),
        &["`height` is `1e999`"],
    ),
    (
        "pixels",
        Refused,
        |f| f.write("labels/train/c.txt", "0 32 24 10 10"),
        &["`centre x` is `32`", "divide pixels"],
    ),
    (
        "box beyond the image",
        Mended,
        |f| f.write("labels/train/c.txt", "0 0.9 0.5 0.4 0.5"),
        &["4 objects", "clipped to the image: 1", "line 1 (right)"],
    ),
    (
        "box without width",
        Mended,
        |f| f.write("labels/train/c.txt", "0 0.9 0.5 0 0.5"),
        &["3 objects", "without area dropped: 1"],
    ),
    (
        "Windows line ends, tabs, byte order mark",
        Taken,
        |f| f.write("labels/train/c.txt", "\u{feff}0\t0.5 0.5\t0.1 0.1\r\n\r\n"),
        &["4 objects"],
    ),
    (
        "binary label file",
        Refused,
        |f| f.write("labels/train/c.txt", b"0 0.5\n\xff\xd8"),
        &["c.txt` line 2 is not UTF-8 (byte 0xff)", "save the file as UTF-8"],
    ),
    (
        "folder in place of a label file",
        Refused,
        |f| {
            f.remove("labels/train/c.txt");
            f.write("labels/train/c.txt/x", "");
        },
        &["cannot read", "c.txt"],
    ),
    (
        "image without labels",
        Mended,
        |f| f.remove("labels/train/b.txt"),
        &["3 images, 1 objects", "without a label file", "b.png"],
    ),
    (
        "labels without image",
        Mended,
        |f| f.write("labels/train/ghost.txt", "0 0.5 0.5 0.1 0.1"),
        &["3 objects", "label files without an image", "ghost.txt"],
    ),
    (
        "no labels at all",
        Refused,
        |f| f.remove("labels/train"),
        &["none of 3 images has a label file", "labels/train", "a.txt"],
    ),
    (
        "empty split",
        Refused,
        |f| ["a", "b", "c"].iter().for_each(|name| f.remove(&format!("images/train/{name}.png"))),
        &["`train` is empty", "images/train", "put images"],
    ),
    (
        "split without a folder",
        Refused,
        |f| f.remove("images/train"),
        &["images/train` is missing", "the images of a split"],
    ),
    (
        "split without a path",
        Refused,
        |f| f.edit("data.yaml", "images/train", ""),
        &["no split `train`", "a key of that name in data.yaml", "splits found: val"],
    ),
    (
        "YAML cut off",
        Refused,
        |f| f.write("data.yaml", "names: [cat, dog"),
        &["data.yaml", "cannot be read as YAML", "line 1"],
    ),
    (
        "YAML of another kind",
        Refused,
        |f| f.write("data.yaml", "- names"),
        &["data.yaml", "cannot be read as YAML"],
    ),
    (
        "no names",
        Refused,
        |f| f.edit("data.yaml", "names: [cat, dog]", ""),
        &["`names` is wrong: missing; add the class names"],
    ),
    ("empty names", Refused, |f| f.edit("data.yaml", "[cat, dog]", "[]"), &["`names` is wrong: empty"]),
    (
        "names with a gap",
        Refused,
        |f| f.edit("data.yaml", "[cat, dog]", "{0: cat, 2: dog}"),
        &["class 1 has no name, but class 2 does"],
    ),
    (
        "names as one text",
        Refused,
        |f| f.edit("data.yaml", "[cat, dog]", "cat"),
        &["cannot be read as YAML", "a list of names or a map"],
    ),
    (
        "other number of classes",
        Refused,
        |f| f.edit("data.yaml", "names", "nc: 3\nnames"),
        &["`nc` is wrong: 3, but `names` has 2"],
    ),
    (
        "expanding aliases",
        Refused,
        |f| f.write("data.yaml", laughs()),
        &["data.yaml", "cannot be read as YAML"],
    ),
    (
        "zero-byte image",
        Refused,
        |f| f.write("images/train/b.png", ""),
        &["images/train/b.png", "the file is empty"],
    ),
    (
        "image that claims 10 gigapixels",
        Unreadable,
        |f| f.write("images/train/b.png", png_header(100_000, 100_000)),
        &["cannot decode", "b.png"],
    ),
    (
        "folder named like an image",
        Refused,
        |f| {
            f.remove("images/train/b.png");
            f.write("images/train/b.png/x", "");
        },
        &["images/train/b.png"],
    ),
];

const VOC: &[Case] = &[
    ("as it should be", Taken, |_| (), &["3 images, 3 objects"]),
    (
        "entities that expand without end",
        Refused,
        |f| f.write("Annotations/b.xml", entities()),
        &["b.xml", "not valid XML", "DTD"],
    ),
    ("zero-byte annotation", Refused, |f| f.write("Annotations/b.xml", ""), &["b.xml", "not valid XML"]),
    (
        "annotation in Latin-1",
        Refused,
        |f| f.write("Annotations/b.xml", b"<annotation>\n<name>\xe9</name>"),
        &["b.xml` line 2 is not UTF-8 (byte 0xe9)"],
    ),
    (
        "byte order mark",
        Taken,
        |f| f.write("Annotations/b.xml", [b"\xef\xbb\xbf".to_vec(), f.read("Annotations/b.xml")].concat()),
        &["3 objects"],
    ),
    (
        "infinite edge",
        Refused,
        |f| f.edit("Annotations/b.xml", "<xmax>32<", "<xmax>inf<"),
        &["b.xml` line 3", "<xmax>` is `inf`", "finite"],
    ),
    (
        "inverted box",
        Mended,
        |f| f.edit("Annotations/b.xml", "<xmax>32<", "<xmax>-3<"),
        &["2 objects", "without area dropped: 1"],
    ),
    (
        "folder in place of an annotation",
        Refused,
        |f| {
            f.remove("Annotations/b.xml");
            f.write("Annotations/b.xml/x", "");
        },
        &["cannot read", "b.xml"],
    ),
    (
        "name that climbs out",
        Refused,
        |f| f.write("ImageSets/Main/train.txt", "a\n../b\n"),
        &["train.txt", "line 2", "../b", "take out `..`"],
    ),
    (
        "image listed twice",
        Mended,
        |f| f.write("ImageSets/Main/train.txt", "a\nb\nb\n"),
        &["2 images, 3 objects", "listed twice taken once: 1"],
    ),
    (
        "empty split",
        Refused,
        |f| f.write("ImageSets/Main/train.txt", "\r\n"),
        &["`train` is empty", "one image name per line"],
    ),
    (
        "binary list",
        Refused,
        |f| f.write("ImageSets/Main/train.txt", b"a\n\xff\xfe"),
        &["train.txt` line 2 is not UTF-8"],
    ),
];

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

/// A document whose entities would fill gigabytes.
fn entities() -> String {
    let levels =
        (1..10).map(|level| format!("<!ENTITY l{level} \"{}\">", format!("&l{};", level - 1).repeat(10)));
    format!("<!DOCTYPE x [<!ENTITY l0 \"ha\">{}]><annotation>&l9;</annotation>", levels.collect::<String>())
}

/// The same in YAML.
fn laughs() -> String {
    let levels = (1..10)
        .map(|level| format!("l{level}: &l{level} [{}]\n", vec![format!("*l{}", level - 1); 10].join(", ")));
    format!("l0: &l0 [ha, ha]\n{}names: *l9\ntrain: images/train\n", levels.collect::<String>())
}

#[test]
fn coco_annotations_and_images() {
    try_cases(Folder::coco, COCO);
}

#[test]
fn yolo_labels_and_yaml() {
    try_cases(Folder::yolo, YOLO);
}

#[test]
fn voc_annotations_and_lists() {
    try_cases(Folder::voc, VOC);
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
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0)).unwrap();
    std::fs::File::open(path).is_err()
}

#[cfg(unix)]
#[test]
fn files_that_may_not_be_read() {
    let cases: [(fn() -> Folder, &str); 4] = [
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
