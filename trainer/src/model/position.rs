//! The sine and cosine position table of the encoder.

use tch::{Device, Kind, Tensor};

/// Position embedding of a `height` x `width` map, `[1, height * width, dim]`, row by row.
///
/// Channels are quarters: sine and cosine of the row, then sine and cosine of the column, with `dim / 4` wavelengths
/// from 2 pi to 2 pi `temperature`. On square maps this is RT-DETR's table; on others the official code scrambles rows
/// and columns, which is not repeated here.
pub fn sincos_position_embedding(
    [height, width]: [i64; 2],
    dim: i64,
    temperature: f64,
    device: Device,
) -> Tensor {
    let quarter = dim / 4;
    let arange = |n| Tensor::arange(n, (Kind::Float, device));
    let omega = (arange(quarter) * (-temperature.ln() / quarter as f64)).exp(); // [D/4]
    let axis = |n| {
        let angle = arange(n).outer(&omega);
        Tensor::cat(&[angle.sin(), angle.cos()], -1) // [n, D/2]
    };
    let rows = axis(height).unsqueeze(1).expand([height, width, 2 * quarter], false);
    let columns = axis(width).unsqueeze(0).expand([height, width, 2 * quarter], false);
    Tensor::cat(&[rows, columns], -1).view([1, height * width, dim])
}
