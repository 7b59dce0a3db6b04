//! The small perceptron of the box and position heads.

use guard_core::no_retain;
use tch::nn::Module;
use tch::{Tensor, nn};

use super::init;

/// Linear layers `layers.{i}` with ReLU between them: `[.., widths[0]]` to `[.., widths.last()]`.
#[no_retain]
#[derive(Debug)]
pub struct Mlp {
    layers: Vec<nn::Linear>,
}

impl Mlp {
    /// A box head `D -> D -> D -> 4` whose last layer starts at zero, so that fresh boxes equal their anchors.
    pub fn box_head(path: &nn::Path, dim: i64) -> Self {
        let path = path / "layers";
        let layers = vec![
            init::linear(&path / 0, dim, dim),
            init::linear(&path / 1, dim, dim),
            init::linear_zero(&path / 2, dim, 4),
        ];
        Self { layers }
    }

    /// The query position head `4 -> 2D -> D` with Xavier weights.
    pub fn query_pos_head(path: &nn::Path, dim: i64) -> Self {
        let path = path / "layers";
        let layers = vec![
            init::linear_xavier(&path / 0, 4, 2 * dim, None),
            init::linear_xavier(&path / 1, 2 * dim, dim, None),
        ];
        Self { layers }
    }

    /// Applies the layers to the last dimension of `x`.
    pub fn forward(&self, x: &Tensor) -> Tensor {
        let (last, hidden) = self.layers.split_last().expect("an Mlp has layers");
        let mut x = x.shallow_clone();
        for layer in hidden {
            x = layer.forward(&x).relu_();
        }
        last.forward(&x)
    }
}
