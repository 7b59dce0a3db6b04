//! The ground truth of one batch.

use tch::{Device, Kind, Tensor};

/// Labels and boxes of a batch, image after image in one table (G objects in all).
#[derive(Debug)]
pub struct Targets {
    /// Class indices, `[G]` of `Int64`.
    pub labels: Tensor,
    /// Boxes as centre, width, height relative to the image, `[G, 4]` of `Float`.
    pub boxes_cxcywh: Tensor,
    /// Objects of each image, B entries that sum to G.
    pub counts: Vec<usize>,
}

impl Targets {
    /// Builds the table from per-image lists; `labels[i]` and `boxes_cxcywh[i]` belong together.
    pub fn new(labels: &[Vec<i64>], boxes_cxcywh: &[Vec<[f32; 4]>], device: Device) -> Self {
        let flat_labels: Vec<i64> = labels.iter().flatten().copied().collect();
        let flat_boxes: Vec<f32> = boxes_cxcywh.iter().flatten().flatten().copied().collect();
        Self {
            labels: Tensor::from_slice(&flat_labels).to_device(device),
            boxes_cxcywh: Tensor::from_slice(&flat_boxes).view([-1, 4]).to_device(device),
            counts: labels.iter().map(Vec::len).collect(),
        }
    }

    /// Objects of the busiest image.
    pub fn max_count(&self) -> usize {
        self.counts.iter().copied().max().unwrap_or(0)
    }

    /// Objects of the whole batch.
    pub fn total(&self) -> usize {
        self.counts.iter().sum()
    }

    /// Where the objects run.
    pub fn device(&self) -> Device {
        self.labels.device()
    }

    /// Kind of the boxes.
    pub fn kind(&self) -> Kind {
        self.boxes_cxcywh.kind()
    }
}
