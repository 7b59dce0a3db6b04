//! Attention within the coarsest map (AIFI), then fusion across the maps (CCFF).

use guard_core::no_retain;
use tch::{Tensor, nn};

use super::config::HybridEncoderConfig;
use super::csp_rep::{CspRepLayer, RepVggBlock};
use super::layers::{Activation, ConvNormLayer, ConvShape};
use super::position::sincos_position_embedding;
use super::transformer_encoder::TransformerEncoder;

/// RT-DETR's encoder.
///
/// # Shapes
/// Maps `[B, C_i, h_i, w_i]` of strides 8, 16, 32 to `[B, D, h_i, w_i]`.
#[no_retain]
#[derive(Debug)]
pub struct HybridEncoder {
    input_proj: Vec<ConvNormLayer>,
    encoder: Vec<TransformerEncoder>,
    lateral_convs: Vec<ConvNormLayer>,
    fpn_blocks: Vec<CspRepLayer>,
    downsample_convs: Vec<ConvNormLayer>,
    pan_blocks: Vec<CspRepLayer>,
    config: HybridEncoderConfig,
}

impl HybridEncoder {
    /// `in_channels` are the backbone's, finest map first.
    pub fn new(path: &nn::Path, in_channels: &[i64], config: &HybridEncoderConfig) -> Self {
        let dim = config.hidden_dim;
        let fusions = in_channels.len() - 1;
        let blocks = (3. * config.depth_mult).round() as usize;
        let conv = |name: &str, i: usize, shape, activation| {
            ConvNormLayer::new(&(path / name / i), shape, activation)
        };
        let new_block = if config.deploy { RepVggBlock::deployed } else { RepVggBlock::new };
        let csp = |name: &str, i: usize| {
            CspRepLayer::new(
                &(path / name / i),
                [2 * dim, dim],
                blocks,
                config.expansion,
                config.act,
                new_block,
            )
        };
        let square = |kernel| ConvShape::new(dim, dim, kernel);
        let project = |(i, &from)| conv("input_proj", i, ConvShape::new(from, dim, 1), Activation::Identity);
        let down = |i| conv("downsample_convs", i, square(3).with_stride(2), config.act);
        let attend = |i| TransformerEncoder::new(&(path / "encoder" / i), config);
        Self {
            input_proj: in_channels.iter().enumerate().map(project).collect(),
            encoder: (0..config.use_encoder_idx.len()).map(attend).collect(),
            lateral_convs: (0..fusions).map(|i| conv("lateral_convs", i, square(1), config.act)).collect(),
            fpn_blocks: (0..fusions).map(|i| csp("fpn_blocks", i)).collect(),
            downsample_convs: (0..fusions).map(down).collect(),
            pan_blocks: (0..fusions).map(|i| csp("pan_blocks", i)).collect(),
            config: config.clone(),
        }
    }

    /// `maps` finest first; the answer keeps order and sizes.
    pub fn forward(&self, maps: &[Tensor], train: bool) -> Vec<Tensor> {
        let mut maps: Vec<Tensor> =
            self.input_proj.iter().zip(maps).map(|(proj, map)| proj.forward(map, train)).collect();
        for (encoder, &level) in self.encoder.iter().zip(&self.config.use_encoder_idx) {
            maps[level] = self.attend(encoder, &maps[level], train);
        }
        let top_down = self.fuse_top_down(maps, train);
        self.fuse_bottom_up(top_down, train)
    }

    /// Self-attention over the cells of one map `[B, D, h, w]`.
    fn attend(&self, encoder: &TransformerEncoder, map: &Tensor, train: bool) -> Tensor {
        let (_, dim, height, width) = map.size4().expect("a map is [B, D, h, w]");
        let size = [height, width];
        let pos = sincos_position_embedding(size, dim, self.config.pe_temperature, map.device());
        let tokens = map.flatten(2, 3).transpose(1, 2); // [B, h*w, D]
        let tokens = encoder.forward(&tokens, &pos.to_kind(map.kind()), train);
        tokens.transpose(1, 2).unflatten(2, size).contiguous()
    }

    /// Brings the coarse maps' content down to the finer ones; the answer is finest first.
    fn fuse_top_down(&self, mut maps: Vec<Tensor>, train: bool) -> Vec<Tensor> {
        let last = maps.len() - 1;
        for (i, (lateral, block)) in self.lateral_convs.iter().zip(&self.fpn_blocks).enumerate() {
            let (low, high) = (last - i - 1, last - i);
            maps[high] = lateral.forward(&maps[high], train);
            let (_, _, height, width) = maps[low].size4().expect("a map is [B, D, h, w]");
            let up = maps[high].upsample_nearest2d([height, width], None, None);
            maps[low] = block.forward(&Tensor::cat(&[&up, &maps[low]], 1), train);
        }
        maps
    }

    /// Brings the fine maps' content up to the coarser ones.
    fn fuse_bottom_up(&self, mut maps: Vec<Tensor>, train: bool) -> Vec<Tensor> {
        for (i, (down, block)) in self.downsample_convs.iter().zip(&self.pan_blocks).enumerate() {
            let low = down.forward(&maps[i], train);
            maps[i + 1] = block.forward(&Tensor::cat(&[&low, &maps[i + 1]], 1), train);
        }
        maps
    }
}
