//! One data set in three formats gives the same batches, to the bit.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use trainer::data::{Batch, Dataset, FileSet, Layout, Loader, LoaderConfig, TrainTransforms, Voc};

use super::folder::{Folder, jpeg};

/// Boxes with fractions, at the borders, and one that an annotator drew beyond the image.
const BOXES: [[f64; 4]; 6] = [
    [0.0, 0.0, 17.3, 9.1],
    [1.0, 333.0, 87.0, 480.0],
    [554.7, 356.0, 640.0, 455.0],
    [260.0, 177.0, 491.0, 376.0],
    [12.34567, 0.1, 600.125, 479.9],
    [600.0, 400.0, 650.5, 490.0],
];

/// A Pascal VOC folder of 640x480 and 333x217 photographs.
fn photographs() -> Folder {
    let folder = Folder::new();
    for image in 0..6 {
        let [width, height] = if image % 2 == 0 { [640, 480] } else { [333, 217] };
        folder.write(&format!("JPEGImages/p{image}.jpg"), jpeg(width, height, image as u8));
        let mut text = format!("<annotation><size><width>{width}</width><height>{height}</height></size>");
        for (number, edges) in BOXES.iter().cycle().skip(image).take(image).enumerate() {
            let class = ["RBC", "WBC", "Platelets"][(image + number) % 3];
            write!(text, "<object><name>{class}</name><bndbox>").unwrap();
            for (tag, edge) in ["xmin", "ymin", "xmax", "ymax"].iter().zip(edges) {
                write!(text, "<{tag}>{edge}</{tag}>").unwrap();
            }
            text += "</bndbox></object>";
        }
        folder.write(&format!("Annotations/p{image}.xml"), text + "</annotation>");
        std::fs::create_dir_all(folder.path("ImageSets/Main")).unwrap();
    }
    let names: String = (0..6).map(|image| format!("p{image}\n")).collect();
    folder.write("ImageSets/Main/train.txt", names);
    folder
}

/// `voc` as COCO: ids are places, categories are numbered with gaps.
fn to_coco(voc: &FileSet) -> Folder {
    let folder = Folder::new();
    let (mut images, mut annotations) = (Vec::new(), Vec::new());
    for index in 0..voc.len() {
        let objects = voc.annotations(index).unwrap();
        let name = copy_image(voc, index, &folder.path("train"));
        let [width, height] = objects.size;
        images.push(json!({"id": index, "file_name": name, "width": width, "height": height}));
        for (label, xyxy) in objects.labels.iter().zip(&objects.boxes_xyxy) {
            let [left, top, right, bottom] = xyxy.map(f64::from);
            let bbox = [left, top, right - left, bottom - top];
            let id = annotations.len();
            annotations
                .push(json!({"id": id, "image_id": index, "category_id": label * 10 + 1, "bbox": bbox}));
        }
    }
    let category = |(label, name): (usize, &String)| json!({"id": label * 10 + 1, "name": name});
    let categories: Vec<_> = voc.class_names().iter().enumerate().map(category).collect();
    folder.write_json(
        "train",
        &json!({"images": images, "annotations": annotations, "categories": categories}),
    );
    folder
}

/// `voc` as YOLO, the shares with every digit (`None`) or with that many decimals.
fn to_yolo(voc: &FileSet, decimals: Option<usize>) -> Folder {
    let folder = Folder::new();
    let share = |value: f64| match decimals {
        Some(decimals) => format!("{value:.decimals$}"),
        None => value.to_string(),
    };
    for index in 0..voc.len() {
        let objects = voc.annotations(index).unwrap();
        let name = copy_image(voc, index, &folder.path("images/train"));
        let [width, height] = objects.size.map(f64::from);
        let mut lines = String::new();
        for (label, xyxy) in objects.labels.iter().zip(&objects.boxes_xyxy) {
            let [left, top, right, bottom] = xyxy.map(f64::from);
            let centre = [(left + right) / 2.0 / width, (top + bottom) / 2.0 / height];
            let sides = [(right - left) / width, (bottom - top) / height];
            let columns = [centre[0], centre[1], sides[0], sides[1]].map(share);
            writeln!(lines, "{label} {}", columns.join(" ")).unwrap();
        }
        let labels = Path::new("labels/train").join(name).with_extension("txt");
        folder.write(labels.to_str().unwrap(), lines);
    }
    folder.write("data.yaml", format!("train: images/train\nnames: {:?}\n", voc.class_names()));
    folder
}

fn copy_image(set: &FileSet, index: usize, folder: &Path) -> String {
    let from = set.image_path(index);
    let name = from.file_name().unwrap().to_str().unwrap();
    std::fs::create_dir_all(folder).unwrap();
    std::fs::copy(from, folder.join(name)).unwrap();
    name.to_owned()
}

/// Two epochs of shuffled batches through the official augmentations.
fn batches(set: FileSet) -> Vec<Batch> {
    let config =
        LoaderConfig { batch_size: 2, shuffle: true, seed: 7, workers: 0, ..LoaderConfig::default() };
    let loader = Loader::new(Arc::new(set), Arc::new(TrainTransforms::official(96)), config).unwrap();
    (0..2).flat_map(|epoch| loader.epoch(epoch).map(Result::unwrap).collect::<Vec<_>>()).collect()
}

fn boxes(set: &FileSet) -> Vec<[f32; 4]> {
    (0..set.len()).flat_map(|index| set.annotations(index).unwrap().boxes_xyxy).collect()
}

/// Asserts that the split `train` of a Pascal VOC folder survives the way into both other formats.
fn assert_formats_agree(root: &Path) {
    let open = |root: &Path| Layout::detect(root.to_str().unwrap()).unwrap().open("train", None).unwrap();
    let voc = Voc::open(root, "train", None).unwrap();
    let (coco, yolo) = (to_coco(&voc), to_yolo(&voc, None));
    for set in [open(coco.root()), open(yolo.root())] {
        assert_eq!((set.len(), set.class_names()), (voc.len(), voc.class_names()));
        assert_eq!(set.repairs().iter().count(), 0, "{}", set.describe());
        let bits = |set: &FileSet| boxes(set).iter().map(|xyxy| xyxy.map(f32::to_bits)).collect::<Vec<_>>();
        assert_eq!(bits(&set), bits(&voc), "{}", set.name());
    }
    let six = to_yolo(&voc, Some(6));
    let six = open(six.root());
    for (rounded, exact) in boxes(&six).iter().zip(&boxes(&voc)) {
        // Half a unit of the centre and a quarter of the side, of images of up to 640 pixels.
        let bound = 0.75e-6 * 640.0 + 1e-4;
        assert!((0..4).all(|edge| (rounded[edge] - exact[edge]).abs() < bound), "{rounded:?} and {exact:?}");
    }
    let expected = batches(voc);
    assert!(expected == batches(open(coco.root())), "the batches from COCO differ");
    assert!(expected == batches(open(yolo.root())), "the batches from YOLO differ");
}

#[test]
fn three_formats_give_one_sequence_of_batches() {
    assert_formats_agree(photographs().root());
}

/// The same on photographs: `VOC_FOLDER=BCCD cargo test -p trainer --test data_files -- --ignored photographs`.
#[test]
#[ignore = "needs VOC_FOLDER, a Pascal VOC folder with the split train"]
fn photographs_agree_in_three_formats() {
    let root = std::env::var("VOC_FOLDER").expect("VOC_FOLDER names a Pascal VOC folder");
    assert_formats_agree(Path::new(&root));
}
