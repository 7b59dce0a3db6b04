//! Image files, named by sound annotations.

use serde_json::json;

use super::{Case, Mended, Taken, Unreadable, json, png_header, try_cases};
use crate::folder::{Folder, HEIGHT, WIDTH, jpeg, png};

const IMAGES: &[Case] = &[
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

#[test]
fn images() {
    try_cases(Folder::coco, IMAGES);
}
