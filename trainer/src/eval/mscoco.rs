//! The 80 object classes of MS COCO and their 91 category ids.

/// Category ids between 1 and 90 that MS COCO left without a class.
const GAPS: [i64; 10] = [12, 26, 29, 30, 45, 66, 68, 69, 71, 83];

/// The category id of each class index, ascending: 80 entries from 1 to 90.
pub const CATEGORY_IDS: [i64; 80] = category_ids();

const fn category_ids() -> [i64; 80] {
    let mut ids = [0; 80];
    let (mut class, mut gap, mut id) = (0, 0, 1);
    while class < ids.len() {
        if gap < GAPS.len() && GAPS[gap] == id {
            gap += 1;
        } else {
            ids[class] = id;
            class += 1;
        }
        id += 1;
    }
    ids
}

/// The names of the classes, in the order of [`CATEGORY_IDS`].
#[rustfmt::skip]
pub const CLASS_NAMES: [&str; 80] = [
    "person", "bicycle", "car", "motorcycle", "airplane", "bus", "train", "truck", "boat", "traffic light",
    "fire hydrant", "stop sign", "parking meter", "bench", "bird", "cat", "dog", "horse", "sheep", "cow",
    "elephant", "bear", "zebra", "giraffe", "backpack", "umbrella", "handbag", "tie", "suitcase", "frisbee",
    "skis", "snowboard", "sports ball", "kite", "baseball bat", "baseball glove", "skateboard", "surfboard",
    "tennis racket", "bottle", "wine glass", "cup", "fork", "knife", "spoon", "bowl", "banana", "apple",
    "sandwich", "orange", "broccoli", "carrot", "hot dog", "pizza", "donut", "cake", "chair", "couch",
    "potted plant", "bed", "dining table", "toilet", "tv", "laptop", "mouse", "remote", "keyboard",
    "cell phone", "microwave", "oven", "toaster", "sink", "refrigerator", "book", "clock", "vase",
    "scissors", "teddy bear", "hair drier", "toothbrush",
];
