//! The anchor of every cell.

use tch::{Device, Kind, Tensor};

/// Anchor width and height on the finest level, relative to the image; doubled per level.
const GRID_SIZE: f64 = 0.05;

/// Anchors before the sigmoid `[1, L, 4]` and their validity `[1, L, 1]` (bool), level after level, row by row.
///
/// An anchor with a coordinate within `eps` of the image border is invalid and plus infinity throughout.
pub fn generate_anchors(spatial_shapes: &[[i64; 2]], eps: f64, device: Device) -> (Tensor, Tensor) {
    let levels: Vec<Tensor> =
        spatial_shapes.iter().enumerate().map(|(lvl, &shape)| level_anchors(lvl, shape, device)).collect();
    let anchors = Tensor::cat(&levels, 0).unsqueeze(0);
    let valid = anchors.gt(eps).logical_and(&anchors.lt(1. - eps)).all_dim(-1, true);
    let unact = (&anchors / (1f64 - &anchors)).log().masked_fill(&valid.logical_not(), f64::INFINITY);
    (unact, valid)
}

/// Centres of the cells and the level's box size, `[h * w, 4]` in 0..1.
fn level_anchors(level: usize, [height, width]: [i64; 2], device: Device) -> Tensor {
    let centres = |n: i64| (Tensor::arange(n, (Kind::Float, device)) + 0.5) / n as f64;
    let shape = [height, width];
    let x = centres(width).unsqueeze(0).expand(shape, false);
    let y = centres(height).unsqueeze(1).expand(shape, false);
    let side = Tensor::full(shape, GRID_SIZE * f64::from(1u32 << level), (Kind::Float, device));
    Tensor::stack(&[x, y, side.shallow_clone(), side], -1).view([-1, 4])
}
