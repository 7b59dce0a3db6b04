//! What the YOLO reader takes.

use trainer::data::{Dataset, Repair, Yolo};

use super::folder::{Folder, HEIGHT, WIDTH, assert_says, png};

#[test]
fn reads_boxes_relative_to_the_image() {
    let folder = Folder::yolo();
    let set = folder.open("train").unwrap();
    assert_eq!((set.len(), set.class_names()), (3, ["cat", "dog"].map(String::from).as_slice()));
    let annotations = set.annotations(1).unwrap();
    assert_eq!((annotations.labels, annotations.size), (vec![0, 1], [WIDTH, HEIGHT]));
    assert_eq!(annotations.boxes_xyxy, [[0.0, 0.0, 32.0, 24.0], [32.0, 0.0, 64.0, 48.0]]);
    assert_eq!(set.sample(0).unwrap().boxes_xyxy, [[24.0, 12.0, 40.0, 36.0]]);
    assert!(set.annotations(2).unwrap().labels.is_empty());
    assert_says(&set.describe(), &["/train: 3 images, 3 objects, 2 classes (cat, dog)"]);
}

#[test]
fn takes_every_way_to_write_the_yaml() {
    let texts = [
        "names: {0: cat, 1: dog}\ntrain: images/train\nval: images/val\n",
        "names:\n  0: cat\n  1: dog\nnc: 2\ntrain: [images/train]\nvalid: ../images/val\ntest:\n",
        "path: .\ntrain: images/train # folder\nval: train.txt\nnames:\n- cat\n- dog\n",
        "path: ../somewhere/else\r\ntrain: images/train\r\nval: images/val\r\nnames: ['cat', \"dog\"]\r\n",
    ];
    for text in texts {
        let folder = Folder::yolo();
        folder.write("data.yaml", text);
        folder.write("train.txt", "./images/train/b.png\n\nimages/train/a.png\n");
        for split in ["train", "val"] {
            let set = folder.open(split).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(set.class_names(), ["cat", "dog"], "{text}");
            assert!(set.len() >= 2, "{text}");
        }
        let by_file = Yolo::open(&folder.path("data.yaml"), "train", None).unwrap();
        assert_eq!(by_file.len(), 3);
    }
}

#[test]
fn takes_a_list_of_classes_in_place_of_the_yaml() {
    let folder = Folder::yolo();
    folder.remove("data.yaml");
    let fault = folder.fault("train");
    assert_says(&fault, &["names no classes", "add a `data.yaml` with `names: [cat, dog]`", "`classes.txt`"]);
    folder.write("classes.txt", "cat\r\ndog\r\n");
    let set = folder.open("train").unwrap();
    assert_eq!((set.class_names(), set.len()), (["cat", "dog"].map(String::from).as_slice(), 3));
    assert_eq!(folder.layout().unwrap().splits(), ["train", "val"]);
}

#[test]
fn takes_the_folders_of_exporters_that_put_the_split_first() {
    let folder = Folder::new();
    folder.write("data.yaml", "train: ../train/images\nval: ../valid/images\nnames: [cat]\n");
    for split in ["train", "valid"] {
        folder.write(&format!("{split}/images/deep/a.JPG"), png(WIDTH, HEIGHT, 0));
        folder.write(&format!("{split}/labels/deep/a.txt"), "0 0.5 0.5 0.5 0.5\n");
    }
    assert_eq!(folder.open("val").unwrap().annotations(0).unwrap().labels, [0]);
}

#[test]
fn polygons_and_keypoints_give_their_box() {
    let folder = Folder::yolo();
    folder.write("labels/train/c.txt", "0 0.25 0.25 0.75 0.5 0.5 0.75\n");
    assert_eq!(folder.open("train").unwrap().annotations(2).unwrap().boxes_xyxy, [[16.0, 12.0, 48.0, 36.0]]);
    folder.edit("data.yaml", "names", "kpt_shape: [1, 3]\nnames");
    folder.write("labels/train/c.txt", "0 0.5 0.5 0.5 0.5 0.1 0.1 2\n");
    assert_eq!(folder.open("train").unwrap().annotations(2).unwrap().boxes_xyxy, [[16.0, 12.0, 48.0, 36.0]]);
}

#[test]
fn the_rounding_of_six_decimals_is_no_repair() {
    let folder = Folder::yolo();
    folder.write("labels/train/c.txt", "0 0.8333335 0.5 0.333334 1.000001\n0 0.9 0.5 0.3 0.5\n");
    let set = folder.open("train").unwrap();
    assert_eq!(set.annotations(2).unwrap().boxes_xyxy[0][1..], [0.0, 64.0, 48.0]);
    assert_eq!(set.repairs().times(Repair::Clipped), 1);
    assert_says(&set.describe(), &["c.txt` line 2 (right)"]);
}

#[test]
fn another_order_of_classes_renumbers() {
    let folder = Folder::yolo();
    let classes = ["dog", "cat"].map(String::from);
    let set = folder.layout().unwrap().open("val", Some(&classes)).unwrap();
    assert_eq!((set.class_names(), set.annotations(1).unwrap().labels), (classes.as_slice(), vec![1, 0]));
    let fault = folder.layout().unwrap().open("val", Some(&classes[..1])).unwrap_err().to_string();
    assert_says(&fault, &["b.txt` line 1", "`cat`, which is not one of the classes dog"]);
}
