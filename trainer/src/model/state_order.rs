//! The order in which the official state dict lists parameters and buffers.
//!
//! A variable store forgets the order in which its variables were made. The official optimiser state counts
//! parameters in this order, and so does every list that is compared with an official one.

/// Sorts named entries as the official state dict lists them; names that it does not know come last, in the order of
/// the alphabet.
pub fn sort_entries<T>(entries: &mut [(String, T)]) {
    let bottlenecks = entries.iter().any(|(name, _)| name.contains(".branch2c."));
    entries.sort_by_cached_key(|(name, _)| place(name, bottlenecks));
}

/// Where a path stands: part by part the rank of the part among its siblings, numbers by value.
fn place(name: &str, bottlenecks: bool) -> Vec<(usize, u64, String)> {
    let siblings = |part: &str| match name.starts_with(ENCODER_LAYERS) && ENCODER_LAYER.contains(&part) {
        true => ENCODER_LAYER.iter().position(|known| *known == part),
        false if bottlenecks && part == "short" => PARTS.iter().position(|known| *known == LAST_SHORT),
        false => PARTS.iter().position(|known| *known == part),
    };
    let rank = |part: &str| match (part.parse(), siblings(part)) {
        (Ok(number), _) => (0, number, String::new()),
        (_, Some(rank)) => (rank, 0, String::new()),
        (_, None) => (usize::MAX, 0, part.to_owned()),
    };
    name.split('.').map(rank).collect()
}

/// The layers of the encoder list their parts in another order than those of the decoder.
const ENCODER_LAYERS: &str = "encoder.encoder.";
const ENCODER_LAYER: [&str; 5] = ["self_attn", "linear1", "linear2", "norm1", "norm2"];

/// A bottleneck lists its shortcut after the branch, the other residual block before it.
const LAST_SHORT: &str = "short of a bottleneck";

/// Names in an order that agrees with that of the siblings in every other module.
#[rustfmt::skip]
const PARTS: [&str; 69] = [
    // The network, the decoder side, the encoder.
    "backbone", "anchors", "valid_mask", "input_proj", "decoder", "encoder", "denoising_class_embed", "tgt_embed",
    "query_pos_head", "enc_output", "enc_score_head", "enc_bbox_head", "dec_score_head", "dec_bbox_head",
    "lateral_convs", "fpn_blocks", "downsample_convs", "pan_blocks",
    // The backbones and the blocks.
    "stem", "stem1", "stem2a", "stem2b", "stem3", "stem4", "stages", "downsample", "conv1", "conv2", "bottlenecks",
    "conv3", "res_layers", "blocks", "layers", "aggregation_squeeze_conv", "aggregation_excitation_conv",
    "conv1_1", "conv1_2", "conv1_3", "short", "branch2a", "branch2b", "branch2c", LAST_SHORT,
    // The layers of the decoder.
    "self_attn", "norm1", "cross_attn", "norm2", "linear1", "linear2", "norm3",
    "in_proj_weight", "in_proj_bias", "out_proj",
    "num_points_scale", "sampling_offsets", "attention_weights", "value_proj", "output_proj",
    // The smallest parts.
    "proj", "conv", "norm", "bn", "lab", "scale", "weight", "bias", "running_mean", "running_var",
    "num_batches_tracked",
];
