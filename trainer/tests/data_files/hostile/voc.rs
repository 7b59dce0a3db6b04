//! Pascal VOC annotations and lists.

use super::{Case, Mended, Refused, Taken, try_cases};
use crate::folder::Folder;

const VOC: &[Case] = &[
    (
        "elements nested two hundred thousand deep",
        Refused,
        |f| f.write("Annotations/b.xml", "<a>".repeat(200_000)),
        &["b.xml", "not valid XML"],
    ),
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

/// A document whose entities would fill gigabytes.
fn entities() -> String {
    let levels =
        (1..10).map(|level| format!("<!ENTITY l{level} \"{}\">", format!("&l{};", level - 1).repeat(10)));
    format!("<!DOCTYPE x [<!ENTITY l0 \"ha\">{}]><annotation>&l9;</annotation>", levels.collect::<String>())
}

#[test]
fn annotations_and_lists() {
    try_cases(Folder::voc, VOC);
}
