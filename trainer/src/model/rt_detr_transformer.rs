//! Everything after the encoder: projection, query selection, denoising and decoder.

use guard_core::no_retain;
use tch::{Tensor, nn};

use super::config::RtDetrConfig;
use super::config_check::BACKBONE_LEVELS;
use super::decoder::{Queries, TransformerDecoder};
use super::decoder_layer::Memory;
use super::denoising::{Denoising, DenoisingQueries};
use super::layers::{ConvNormLayer, ConvShape};
use super::noise::NoiseSource;
use super::outputs::{Predictions, TrainOutputs};
use super::query_selection::{QuerySelection, Selection};
use crate::ops::Targets;

/// RT-DETR v2's decoder side.
///
/// # Shapes
/// Encoder maps `[B, D, h_i, w_i]` to logits `[B, Q, C]` and boxes `[B, Q, 4]`.
#[no_retain]
#[derive(Debug)]
pub struct RtDetrTransformerV2 {
    input_proj: Vec<ConvNormLayer>,
    query_selection: QuerySelection,
    denoising: Option<Denoising>,
    decoder: TransformerDecoder,
    aux_loss: bool,
}

impl RtDetrTransformerV2 {
    /// Builds the decoder side under `path`; `config` must have passed its validation.
    pub fn new(path: &nn::Path, config: &RtDetrConfig) -> Self {
        let decoder = &config.decoder;
        let eval_shapes = config.eval_spatial_size.map(|size| level_shapes(size, decoder.num_levels));
        Self {
            input_proj: build_input_proj(&(path / "input_proj"), config),
            query_selection: QuerySelection::new(path, decoder, config.num_classes, eval_shapes),
            denoising: Denoising::new(path, decoder, config.num_classes),
            decoder: TransformerDecoder::new(path, decoder, config.num_classes),
            aux_loss: decoder.aux_loss,
        }
    }

    /// Predictions of the evaluation layer for the encoder's `maps`, finest first.
    pub fn forward_eval(&self, maps: &[Tensor]) -> Predictions {
        let memory = self.memory(maps, false);
        let selection = self.query_selection.forward(&memory, false);
        let queries = Queries { content: selection.content, boxes_unact: selection.boxes_unact, mask: None };
        self.decoder.forward_eval(&queries, &memory)
    }

    /// Predictions of every layer, of the query selection and on the denoising queries; without `aux_loss`, those of the
    /// last layer on the matching queries alone.
    pub fn forward_train(
        &self,
        maps: &[Tensor],
        targets: &Targets,
        noise: &mut dyn NoiseSource,
    ) -> TrainOutputs {
        let memory = self.memory(maps, true);
        let denoising = self.denoising.as_ref().map(|denoising| denoising.forward(targets, noise));
        let selection = self.query_selection.forward(&memory, true);
        let queries = join_queries(denoising.as_ref(), &selection);
        let layers = self.decoder.forward_train(&queries, &memory);
        let dn_meta = denoising.map(|denoising| denoising.meta);
        let (dn_aux, mut aux) = match &dn_meta {
            Some(meta) => layers.iter().map(|layer| split_predictions(layer, meta.split)).unzip(),
            None => (Vec::new(), layers),
        };
        let main = aux.pop().expect("a decoder has layers");
        if !self.aux_loss {
            return TrainOutputs { main, aux: vec![], enc_aux: vec![], dn_aux: vec![], dn_meta: None };
        }
        TrainOutputs { main, aux, enc_aux: vec![selection.predictions], dn_aux, dn_meta }
    }

    /// Projects the maps, adds the strided extra levels and flattens them into one sequence.
    fn memory(&self, maps: &[Tensor], train: bool) -> Memory {
        let mut levels: Vec<Tensor> = Vec::with_capacity(self.input_proj.len());
        for (i, proj) in self.input_proj.iter().enumerate() {
            // The first extra level reads the last encoder map, later ones the level before.
            let input = maps.get(i).or(if i == maps.len() { maps.last() } else { levels.last() });
            let level = proj.forward(input.expect("the encoder makes maps"), train);
            levels.push(level);
        }
        let shape = |level: &Tensor| {
            let (_, _, height, width) = level.size4().expect("a level is [B, D, h, w]");
            [height, width]
        };
        let tokens: Vec<Tensor> = levels.iter().map(|level| level.flatten(2, 3).transpose(1, 2)).collect();
        Memory { tokens: Tensor::cat(&tokens, 1), spatial_shapes: levels.iter().map(shape).collect() }
    }
}

fn build_input_proj(path: &nn::Path, config: &RtDetrConfig) -> Vec<ConvNormLayer> {
    let (from, dim) = (config.encoder.hidden_dim, config.decoder.hidden_dim);
    let shape = |i: usize| match i {
        0..BACKBONE_LEVELS => ConvShape::new(from, dim, 1),
        BACKBONE_LEVELS => ConvShape::new(from, dim, 3).with_stride(2),
        _ => ConvShape::new(dim, dim, 3).with_stride(2),
    };
    (0..config.decoder.num_levels).map(|i| ConvNormLayer::projection(&(path / i), shape(i))).collect()
}

/// Height and width of every level for images of `size` (height, width).
fn level_shapes(size: [i64; 2], num_levels: usize) -> Vec<[i64; 2]> {
    let mut shapes: Vec<[i64; 2]> =
        (0..BACKBONE_LEVELS).map(|level| size.map(|side| side >> (3 + level))).collect();
    while let (true, Some(last)) = (shapes.len() < num_levels, shapes.last().copied()) {
        shapes.push(last.map(|side| (side + 1) / 2));
    }
    shapes
}

/// Denoising queries first, then the matching queries.
fn join_queries(denoising: Option<&DenoisingQueries>, selection: &Selection) -> Queries {
    let Some(denoising) = denoising else {
        return Queries {
            content: selection.content.shallow_clone(),
            boxes_unact: selection.boxes_unact.shallow_clone(),
            mask: None,
        };
    };
    Queries {
        content: Tensor::cat(&[&denoising.content, &selection.content], 1),
        boxes_unact: Tensor::cat(&[&denoising.boxes_unact, &selection.boxes_unact], 1),
        mask: Some(denoising.mask.shallow_clone()),
    }
}

/// The denoising part and the matching part.
fn split_predictions(all: &Predictions, split: [i64; 2]) -> (Predictions, Predictions) {
    let part = |start, len| Predictions {
        pred_logits: all.pred_logits.narrow(1, start, len),
        pred_boxes: all.pred_boxes.narrow(1, start, len),
    };
    (part(0, split[0]), part(split[0], split[1]))
}
