//! Contrastive denoising: noised ground truth as extra queries (DINO's CDN, as in RT-DETR).
//!
//! A group holds M positive queries (slightly noised), then M negative ones (strongly noised), M being the objects of
//! the busiest image; images with fewer objects are padded. Groups see the matching queries, not each other.

use guard_core::{Param, no_retain};
use tch::nn::Init;
use tch::{Kind, Tensor, nn};

use super::config::DecoderConfig;
use super::layers::init;
use super::noise::NoiseSource;
use super::outputs::DnMeta;
use crate::ops::{Targets, cxcywh_to_xyxy, inverse_sigmoid, xyxy_to_cxcywh};

/// The box of the placeholder query when no image of the batch has an object.
const PLACEHOLDER: [f32; 4] = [0.5, 0.5, 0.1, 0.1];

/// The denoising queries of one batch, N of them per image.
#[derive(Debug)]
pub struct DenoisingQueries {
    /// Embedded noised labels, `[B, N, D]`.
    pub content: Tensor,
    /// Noised boxes before the sigmoid, `[B, N, 4]`.
    pub boxes_unact: Tensor,
    /// Added to the attention scores of all queries, `[N + Q, N + Q]`.
    pub mask: Tensor,
    /// Which queries are positive, and the layout.
    pub meta: DnMeta,
}

/// Makes denoising queries; owns the class embedding.
#[no_retain]
#[derive(Debug)]
pub struct Denoising {
    denoising_class_embed: Param,
    num_classes: i64,
    num_queries: i64,
    num_denoising: usize,
    label_noise_ratio: f64,
    box_noise_scale: f64,
}

/// Groups of N queries: `groups` times (M positives, M negatives).
#[no_retain]
#[derive(Debug, Clone, Copy)]
struct Layout {
    busiest: usize,
    groups: usize,
}

impl Denoising {
    /// State key `denoising_class_embed` `[C + 1, D]`, whose last row is the padding; `None` if `num_denoising` is 0.
    pub fn new(path: &nn::Path, config: &DecoderConfig, num_classes: i64) -> Option<Self> {
        if config.num_denoising == 0 {
            return None;
        }
        let dims = [num_classes + 1, config.hidden_dim];
        let normal = Init::Randn { mean: 0., stdev: 1. };
        let embed = Param::new(&(path / "denoising_class_embed"), "weight", &dims, normal);
        let padding_row = embed.tensor().detach().select(0, num_classes);
        init::assign(&padding_row, &padding_row.zeros_like());
        Some(Self {
            denoising_class_embed: embed,
            num_classes,
            num_queries: config.num_queries,
            num_denoising: config.num_denoising,
            label_noise_ratio: config.label_noise_ratio,
            box_noise_scale: config.box_noise_scale,
        })
    }

    /// The queries of a batch.
    ///
    /// A batch without any object gets one group of one padding query per kind.
    pub fn forward(&self, targets: &Targets, noise: &mut dyn NoiseSource) -> DenoisingQueries {
        let layout = Layout::new(targets, self.num_denoising);
        let (labels, boxes, real) = self.padded(targets, layout);
        let labels = self.noised_labels(&labels, &real, noise);
        let boxes = self.noised_boxes(&boxes, layout, noise);
        let weight = self.denoising_class_embed.tensor();
        DenoisingQueries {
            content: Tensor::embedding(&weight, &labels, self.num_classes, false, false),
            boxes_unact: inverse_sigmoid(&boxes),
            mask: layout.mask(self.num_queries, targets.kind(), targets.device()),
            meta: layout.meta(targets, self.num_queries),
        }
    }

    /// Labels `[B, N]`, boxes `[B, N, 4]` and "is no padding" `[B, N]` of the unnoised queries.
    fn padded(&self, targets: &Targets, layout: Layout) -> (Tensor, Tensor, Tensor) {
        let options = (targets.kind(), targets.device());
        let padding_label = Tensor::full([1], self.num_classes, (Kind::Int64, targets.device()));
        let padding_box = match targets.total() {
            0 => Tensor::from_slice(&PLACEHOLDER).to_device(targets.device()).view([1, 4]),
            _ => Tensor::zeros([1, 4], options),
        };
        let labels = Tensor::cat(&[&targets.labels, &padding_label], 0);
        let boxes = Tensor::cat(&[&targets.boxes_cxcywh, &padding_box], 0);
        let index = Tensor::from_slice(&layout.index(targets)).to_device(targets.device());
        let dims = [targets.counts.len() as i64, layout.len()];
        let real = index.lt(targets.total() as i64).view(dims);
        (
            labels.index_select(0, &index).view(dims),
            boxes.index_select(0, &index).view([dims[0], dims[1], 4]),
            real,
        )
    }

    /// Redraws the labels of some real queries; the draw may hit the same class.
    fn noised_labels(&self, labels: &Tensor, real: &Tensor, noise: &mut dyn NoiseSource) -> Tensor {
        if self.label_noise_ratio <= 0. {
            return labels.shallow_clone();
        }
        let (batch, queries) = labels.size2().expect("labels are [B, N]");
        let dims = [batch, queries];
        let redraw = noise.rand_label(dims, labels.device()).lt(self.label_noise_ratio * 0.5);
        let drawn = noise.new_label(self.num_classes, dims, labels.device()).to_kind(labels.kind());
        drawn.where_self(&redraw.logical_and(real), labels)
    }

    /// Moves the corners of positives by less than half a side, of negatives by half to a whole side.
    fn noised_boxes(&self, boxes: &Tensor, layout: Layout, noise: &mut dyn NoiseSource) -> Tensor {
        if self.box_noise_scale <= 0. {
            return boxes.shallow_clone();
        }
        let (batch, queries, _) = boxes.size3().expect("boxes are [B, N, 4]");
        let dims = [batch, queries, 4];
        let half = boxes.narrow(-1, 2, 2).repeat([1, 1, 2]) * (0.5 * self.box_noise_scale);
        let sign = noise.rand_sign01(dims, boxes.device()).to_kind(boxes.kind()) * 2. - 1.;
        let part = noise.rand_part(dims, boxes.device()) + layout.negatives(boxes);
        let moved = cxcywh_to_xyxy(boxes) + sign * part * half;
        xyxy_to_cxcywh(&moved.clamp(0., 1.))
    }
}

impl Layout {
    fn new(targets: &Targets, num_denoising: usize) -> Self {
        match targets.max_count() {
            0 => Self { busiest: 1, groups: 1 },
            busiest => Self { busiest, groups: (num_denoising / busiest).max(1) },
        }
    }

    /// Denoising queries N per image.
    fn len(self) -> i64 {
        (2 * self.busiest * self.groups) as i64
    }

    /// For every query of every image, its row in the table of all objects; the row after the last is the padding.
    fn index(self, targets: &Targets) -> Vec<i64> {
        let padding = targets.total() as i64;
        let mut index = Vec::with_capacity(targets.counts.len() * self.len() as usize);
        let mut first = 0;
        for &count in &targets.counts {
            for _ in 0..2 * self.groups {
                index.extend(first..first + count as i64);
                index.extend(std::iter::repeat_n(padding, self.busiest - count));
            }
            first += count as i64;
        }
        index
    }

    /// 1 for negative queries, 0 for positive ones: `[1, N, 1]`.
    fn negatives(self, like: &Tensor) -> Tensor {
        let options = (like.kind(), like.device());
        let kinds = Tensor::arange(2, options).view([2, 1]).repeat([self.groups as i64, self.busiest as i64]);
        kinds.view([1, -1, 1])
    }

    /// Minus infinity where a query (row) may not see another (column), else 0: `[N + Q, N + Q]`.
    fn mask(self, num_queries: i64, kind: Kind, device: tch::Device) -> Tensor {
        let groups = self.groups as i64;
        let denoising = Tensor::arange(groups, (Kind::Int64, device)).repeat_interleave_self_int(
            2 * self.busiest as i64,
            0,
            None,
        );
        // Matching queries form the group `groups`, which everyone sees.
        let group = Tensor::cat(&[denoising, Tensor::full([num_queries], groups, (Kind::Int64, device))], 0);
        let (row, column) = (group.unsqueeze(1), group.unsqueeze(0));
        let blocked = column.not_equal_tensor(&row).logical_and(&column.not_equal(groups));
        Tensor::zeros(blocked.size(), (kind, device)).masked_fill(&blocked, f64::NEG_INFINITY)
    }

    fn meta(self, targets: &Targets, num_queries: i64) -> DnMeta {
        let positives = |&count: &usize| {
            let starts = (0..self.groups).map(|group| 2 * group * self.busiest);
            starts.flat_map(|start| start..start + count).map(|position| position as i64).collect()
        };
        DnMeta {
            positive_idx: targets.counts.iter().map(positives).collect(),
            num_groups: self.groups as i64,
            split: [self.len(), num_queries],
        }
    }
}
