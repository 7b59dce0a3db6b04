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
