//! Multi-scale deformable attention, version 2.

use guard_core::{Param, no_retain};
use tch::nn::{Init, Module};
use tch::{Kind, Tensor, nn};

use super::config::{CrossAttnMethod, DecoderConfig};
use super::layers::init;

/// Offsets are measured in units of half the reference box.
const OFFSET_SCALE: f64 = 0.5;
/// `grid_sampler` codes: bilinear interpolation, zeros outside the map.
const BILINEAR: i64 = 0;
const ZEROS: i64 = 0;

/// Attention of each query to a few points around its reference box, on every level.
///
/// P points per head, all levels together, level after level.
#[no_retain]
#[derive(Debug)]
pub struct MsDeformableAttention {
    sampling_offsets: nn::Linear,
    attention_weights: nn::Linear,
    value_proj: nn::Linear,
    output_proj: nn::Linear,
    num_points_scale: Param,
    num_points: Vec<i64>,
    heads: i64,
    method: CrossAttnMethod,
}

impl MsDeformableAttention {
    /// Widths, heads, points and method of the decoder; offsets start as a star around the reference's centre.
    pub fn new(path: &nn::Path, config: &DecoderConfig) -> Self {
        let (dim, heads) = (config.hidden_dim, config.nhead);
        let points: i64 = config.num_points.iter().sum();
        let zero_bias = Some(Init::Const(0.));
        let layer = Self {
            sampling_offsets: init::linear_zero(path / "sampling_offsets", dim, heads * points * 2),
            attention_weights: init::linear_zero(path / "attention_weights", dim, heads * points),
            value_proj: init::linear_xavier(path / "value_proj", dim, dim, zero_bias),
            output_proj: init::linear_xavier(path / "output_proj", dim, dim, zero_bias),
            num_points_scale: Param::buffer(path, "num_points_scale", &[points], Init::Const(0.)),
            num_points: config.num_points.clone(),
            heads,
            method: config.cross_attn_method,
        };
        layer.write_constants();
        layer
    }

    fn write_constants(&self) {
        let bias = self.sampling_offsets.bs.as_ref().expect("sampling_offsets has a bias");
        let scale: Vec<f32> = self.num_points.iter().flat_map(|&n| vec![1. / n as f32; n as usize]).collect();
        init::assign(&self.num_points_scale.tensor(), &Tensor::from_slice(&scale));
        init::assign(bias, &Tensor::from_slice(&initial_offsets(self.heads, &self.num_points)));
        if self.method == CrossAttnMethod::Discrete {
            // Nearest-cell sampling has no gradient in the offsets: RT-DETR keeps them at their initial values.
            let _ = (self.sampling_offsets.ws.set_requires_grad(false), bias.set_requires_grad(false));
        }
    }

    /// # Shapes
    /// `query` `[B, Q, D]`, `reference_points` `[B, Q, 4]` (cxcywh), `memory` `[B, L, D]` whose L cells are the levels
    /// of `spatial_shapes` (height, width) one after the other, row by row. Returns `[B, Q, D]`.
    pub fn forward(
        &self,
        query: &Tensor,
        reference_points: &Tensor,
        memory: &Tensor,
        spatial_shapes: &[[i64; 2]],
    ) -> Tensor {
        let locations = self.sampling_locations(query, reference_points); // [B*H, Q, P, 2]
        let weights = self.weights(query); // [B*H, 1, Q, P]
        let sampled = self.sample(&self.value_levels(memory, spatial_shapes), &locations);
        let batch = query.size()[0];
        let mixed = (sampled * weights).sum_dim_intlist(-1, false, None::<Kind>); // [B*H, D/H, Q]
        let mixed = mixed.view([batch, -1, query.size()[1]]).transpose(1, 2); // [B, Q, D]
        self.output_proj.forward(&mixed)
    }

    /// Takes over the initial values of `other`, which has the same shape.
    pub fn copy_initial(&self, other: &Self) {
        init::assign_linear(&self.value_proj, &other.value_proj);
        init::assign_linear(&self.output_proj, &other.output_proj);
    }

    /// The projected memory per level, `[B*H, D/H, h, w]` each.
    ///
    /// The channels of a cell stay next to each other in memory, which makes sampling them about 15 % faster on the CPU.
    fn value_levels(&self, memory: &Tensor, spatial_shapes: &[[i64; 2]]) -> Vec<Tensor> {
        let cells: Vec<i64> = spatial_shapes.iter().map(|[height, width]| height * width).collect();
        let value = self.value_proj.forward(memory).unflatten(-1, [self.heads, -1]); // [B, L, H, D/H]
        let value = value.transpose(1, 2).flatten(0, 1); // [B*H, L, D/H]
        let levels = value.split_with_sizes(cells, 1);
        let map = |(level, shape): (&Tensor, &[i64; 2])| level.transpose(1, 2).unflatten(-1, shape);
        levels.iter().zip(spatial_shapes).map(map).collect()
    }

    /// Where to look, relative to the image: `[B*H, Q, P, 2]`.
    fn sampling_locations(&self, query: &Tensor, reference_points: &Tensor) -> Tensor {
        let offsets = self.sampling_offsets.forward(query);
        let offsets = offsets.unflatten(-1, [self.heads, -1, 2]).transpose(1, 2); // [B, H, Q, P, 2]
        let reference = reference_points.unsqueeze(1).unsqueeze(3); // [B, 1, Q, 1, 4]
        let scale = self.num_points_scale.tensor().unsqueeze(-1) * OFFSET_SCALE; // [P, 1]
        let offsets = offsets * (scale * reference.narrow(-1, 2, 2));
        (reference.narrow(-1, 0, 2) + offsets).flatten(0, 1)
    }

    /// Attention over all points of all levels: `[B*H, 1, Q, P]`.
    fn weights(&self, query: &Tensor) -> Tensor {
        let scores = self.attention_weights.forward(query).unflatten(-1, [self.heads, -1]); // [B, Q, H, P]
        scores.softmax(-1, None::<Kind>).transpose(1, 2).flatten(0, 1).unsqueeze(1)
    }

    /// The value at each location: `[B*H, D/H, Q, P]`.
    fn sample(&self, levels: &[Tensor], locations: &Tensor) -> Tensor {
        let locations = locations.split_with_sizes(&self.num_points[..], 2);
        let sample = match self.method {
            CrossAttnMethod::Default => sample_bilinear,
            CrossAttnMethod::Discrete => sample_nearest,
        };
        let sampled: Vec<Tensor> =
            levels.iter().zip(&locations).map(|(level, location)| sample(level, location)).collect();
        Tensor::cat(&sampled, -1)
    }
}

/// Bilinear interpolation of `level` `[N, C, h, w]` at `locations` `[N, Q, n, 2]` in 0..1: `[N, C, Q, n]`.
fn sample_bilinear(level: &Tensor, locations: &Tensor) -> Tensor {
    level.grid_sampler(&(locations * 2. - 1.), BILINEAR, ZEROS, false)
}

/// The cell of `level` `[N, C, h, w]` nearest to each of `locations` `[N, Q, n, 2]`: `[N, C, Q, n]`.
///
/// Each coordinate is clamped to its own axis. The official code clamps both by the height, which agrees on square maps,
/// loses the right part of wide ones and fails on tall ones.
fn sample_nearest(level: &Tensor, locations: &Tensor) -> Tensor {
    let (_, channels, height, width) = level.size4().expect("a level is [N, C, h, w]");
    let cell = |axis: i64, side: i64| {
        let position = locations.detach().select(-1, axis) * side as f64 + 0.5;
        position.to_kind(Kind::Int64).clamp(0, side - 1)
    };
    let index = cell(1, height) * width + cell(0, width); // [N, Q, n]
    let (batch, queries, points) = index.size3().expect("locations are [N, Q, n, 2]");
    // The locations of a single image are a strided view, and so is the index.
    let index =
        index.reshape([batch, 1, queries * points]).expand([batch, channels, queries * points], false);
    level.flatten(2, 3).gather(2, &index, false).unflatten(-1, [queries, points])
}

/// The bias of fresh sampling offsets, `heads * P * 2` numbers: head h looks in direction `2 pi h / heads`, the n-th point
/// of each level n units away along the longer axis.
fn initial_offsets(heads: i64, num_points: &[i64]) -> Vec<f32> {
    let mut offsets = Vec::new();
    for head in 0..heads {
        let angle = (head as f64 * (std::f64::consts::TAU / heads as f64)) as f32;
        let (x, y) = (angle.cos(), angle.sin());
        let longest = x.abs().max(y.abs());
        for point in num_points.iter().flat_map(|&n| 1..=n) {
            offsets.extend([x / longest * point as f32, y / longest * point as f32]);
        }
    }
    offsets
}
