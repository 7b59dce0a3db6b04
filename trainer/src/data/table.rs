//! The annotations of a data set in one flat table.

use guard_core::no_retain;

/// All objects of a data set, image after image.
#[no_retain]
#[derive(Debug, Default)]
pub(super) struct AnnotationTable {
    /// First object of each image, and the number of objects at the end.
    starts: Vec<usize>,
    sizes: Vec<[u32; 2]>,
    labels: Vec<i64>,
    boxes_xyxy: Vec<[f32; 4]>,
    difficult: Vec<bool>,
}

impl AnnotationTable {
    /// Opens the rows of the next image, `size` being its width and height.
    pub(super) fn start_image(&mut self, size: [u32; 2]) {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        self.starts.push(self.labels.len());
        self.sizes.push(size);
    }

    /// Adds an object to the image that was started last.
    pub(super) fn push(&mut self, label: i64, xyxy: [f32; 4], difficult: bool) {
        self.labels.push(label);
        self.boxes_xyxy.push(xyxy);
        self.difficult.push(difficult);
        *self.starts.last_mut().expect("an image was started") = self.labels.len();
    }

    pub(super) fn annotations(&self, index: usize) -> super::Annotations {
        let rows = self.starts[index]..self.starts[index + 1];
        super::Annotations {
            image_id: index as i64,
            size: self.sizes[index],
            labels: self.labels[rows.clone()].to_vec(),
            boxes_xyxy: self.boxes_xyxy[rows.clone()].to_vec(),
            difficult: self.difficult[rows].to_vec(),
        }
    }

    /// Replaces every label by its place in the sorted class list.
    pub(super) fn relabel(&mut self, place: &[i64]) {
        for label in &mut self.labels {
            *label = place[*label as usize];
        }
    }

    pub(super) fn images(&self) -> usize {
        self.sizes.len()
    }

    pub(super) fn objects(&self) -> usize {
        self.labels.len()
    }

    pub(super) fn difficult_objects(&self) -> usize {
        self.difficult.iter().filter(|&&flag| flag).count()
    }
}
