//! The first layers of HGNetV2.

use guard_core::no_retain;
use tch::{Tensor, nn};

use super::layers::ConvShape;
use super::layers::conv_bn_act::{ConvBnAct, HgStyle, pad_end};

/// Convolutions beside a max-pool: `[B, 3, h, w]` to `[B, C, ceil(h/4), ceil(w/4)]`.
#[no_retain]
#[derive(Debug)]
pub struct HgStem {
    stem1: ConvBnAct,
    stem2a: ConvBnAct,
    stem2b: ConvBnAct,
    stem3: ConvBnAct,
    stem4: ConvBnAct,
}

impl HgStem {
    /// `mid` channels (an even number) inside, `out` at the end.
    pub fn new(path: &nn::Path, [mid, out]: [i64; 2], style: HgStyle) -> Self {
        let conv = |name: &str, shape| ConvBnAct::new(&(path / name), shape, style);
        let same = |name: &str, shape| ConvBnAct::same(&(path / name), shape, style);
        Self {
            stem1: conv("stem1", ConvShape::new(3, mid, 3).with_stride(2)),
            stem2a: same("stem2a", ConvShape::new(mid, mid / 2, 2)),
            stem2b: same("stem2b", ConvShape::new(mid / 2, mid, 2)),
            stem3: conv("stem3", ConvShape::new(2 * mid, mid, 3).with_stride(2)),
            stem4: conv("stem4", ConvShape::new(mid, out, 1)),
        }
    }

    /// `images` are `[B, 3, h, w]`.
    pub fn forward(&self, images: &Tensor, train: bool) -> Tensor {
        let x = self.stem1.forward(images, train); // [B, mid, h/2, w/2]
        let deep = self.stem2b.forward(&self.stem2a.forward(&x, train), train);
        let pooled = pad_end(&x).max_pool2d([2, 2], [1, 1], [0, 0], [1, 1], true);
        let x = self.stem3.forward(&Tensor::cat(&[pooled, deep], 1), train); // [B, mid, h/4, w/4]
        self.stem4.forward(&x, train)
    }

    /// Stops training of the stem.
    pub fn freeze(&self) {
        let layers = [&self.stem1, &self.stem2a, &self.stem2b, &self.stem3, &self.stem4];
        layers.into_iter().for_each(ConvBnAct::freeze);
    }
}
