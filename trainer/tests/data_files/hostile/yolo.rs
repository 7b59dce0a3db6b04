//! YOLO label files and their YAML.

use super::{Case, Mended, Refused, Taken, Unreadable, png_header, try_cases};
use crate::folder::Folder;

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

/// A document whose aliases would fill gigabytes.
fn laughs() -> String {
    let levels = (1..10)
        .map(|level| format!("l{level}: &l{level} [{}]\n", vec![format!("*l{}", level - 1); 10].join(", ")));
    format!("l0: &l0 [ha, ha]\n{}names: *l9\ntrain: images/train\n", levels.collect::<String>())
}

#[test]
fn labels_and_yaml() {
    try_cases(Folder::yolo, YOLO);
}
