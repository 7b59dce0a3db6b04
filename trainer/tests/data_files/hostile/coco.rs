//! COCO annotation files.

use serde_json::json;

use super::{Case, JSON, Mended, Refused, Taken, json, try_cases};
use crate::folder::Folder;

/// Gives the first annotation another box.
macro_rules! bbox {
    ($value:tt) => {
        |folder| json(folder, |json| json["annotations"][0]["bbox"] = json!($value))
    };
}

const COCO: &[Case] = &[
    (
        "segmentation nested a hundred thousand deep",
        Taken,
        |f| {
            let deep = format!("\"segmentation\":{}{}", "[".repeat(100_000), "]".repeat(100_000));
            f.edit(JSON, "\"area\":700.5", &format!("\"area\":700.5,{deep}"));
        },
        &["3 objects"],
    ),
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
];

#[test]
fn annotations() {
    try_cases(Folder::coco, COCO);
}
