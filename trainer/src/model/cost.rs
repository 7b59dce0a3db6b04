//! What a forward pass costs: multiply-accumulates of convolutions and linear layers, by formula.
//!
//! Counted is one image through the network in evaluation, up to the layer that answers; the heads of the query selection
//! on every cell, as the official code runs them (here the box head sees the chosen cells alone). A multiply-accumulate is two floating-point operations. Norms, activations, sums, interpolation, sorting
//! and the products inside attention are left out: the counter of PyTorch that the published numbers agree with sees none
//! of them either. For all sixteen published networks (blocks folded) the sum equals that counter's, to the last digit.

use std::collections::HashSet;

use guard_core::no_retain;

use super::config::RtDetrConfig;

/// The share of one module.
#[derive(Debug, Clone, PartialEq, Eq)]
#[no_retain]
pub struct ModuleCost {
    /// Prefix of the module's state keys.
    pub module: String,
    /// Trained or frozen values, buffers left out.
    pub parameters: u64,
    /// Multiply-accumulates of one image.
    pub macs: u64,
}

/// Parameters and multiply-accumulates by module, for one image of `size` (height, width).
///
/// `entries` are the names and dimensions of the network's state.
pub fn costs<'a>(
    config: &RtDetrConfig,
    entries: impl IntoIterator<Item = (&'a str, &'a [i64])>,
    size: [i64; 2],
) -> Vec<ModuleCost> {
    let entries: Vec<_> = entries.into_iter().collect();
    let names: HashSet<&str> = entries.iter().map(|(name, _)| *name).collect();
    let mut modules: Vec<ModuleCost> = Vec::new();
    for (name, dims) in entries {
        let module = module_of(name);
        let parameters = if is_buffer(name, &names) { 0 } else { dims.iter().product::<i64>() as u64 };
        let macs = macs(config, name, dims, size) as u64;
        match modules.iter_mut().find(|known| known.module == module) {
            Some(known) => {
                (known.parameters, known.macs) = (known.parameters + parameters, known.macs + macs)
            }
            None => modules.push(ModuleCost { module, parameters, macs }),
        }
    }
    modules
}

/// The first two parts of a name, which are modules as the paper draws them.
fn module_of(name: &str) -> String {
    name.splitn(3, '.').take(2).collect::<Vec<_>>().join(".")
}

/// Whether the official code keeps the tensor as a buffer; the four of a frozen norm are.
fn is_buffer(name: &str, names: &HashSet<&str>) -> bool {
    const BUFFERS: [&str; 6] =
        ["running_mean", "running_var", "num_batches_tracked", "num_points_scale", "anchors", "valid_mask"];
    let (module, last) = name.rsplit_once('.').unwrap_or(("", name));
    let has = |part: &str| names.contains(format!("{module}.{part}").as_str());
    BUFFERS.contains(&last) || has("running_mean") && !has("num_batches_tracked")
}

/// Multiply-accumulates that the tensor takes part in.
fn macs(config: &RtDetrConfig, name: &str, dims: &[i64], size: [i64; 2]) -> i64 {
    let volume = dims.iter().product::<i64>();
    match dims {
        [_, _, kernel, _] => volume * cells(size, stride_of(name, *kernel)),
        [_, _] if !name.contains("embed.") => volume * tokens(config, name, size),
        _ => 0,
    }
}

/// Cells of a map of that stride.
fn cells([height, width]: [i64; 2], stride: i64) -> i64 {
    let side = |side: i64| (side + stride - 1) / stride;
    side(height) * side(width)
}

/// Stride of the map that a convolution of that kernel makes.
fn stride_of(name: &str, kernel: i64) -> i64 {
    let parts: Vec<&str> = name.split('.').collect();
    let index = || parts.get(2).and_then(|i| i.parse::<u32>().ok()).unwrap_or(0);
    match (parts[0], parts[1]) {
        ("backbone", "conv1") => 2,
        ("backbone", "stem") if matches!(parts[2], "stem3" | "stem4") => 4,
        ("backbone", "stem") => 2,
        // The first layer of a bottleneck still sees the map of the stage before.
        ("backbone", "res_layers") if kernel == 1 && index() > 0 && parts[4..6] == ["0", "branch2a"] => {
            2 << index()
        }
        ("backbone", _) => 4 << index(),
        ("encoder", "lateral_convs") => 32 >> index(),
        ("encoder", "fpn_blocks") => 16 >> index(),
        ("encoder", "downsample_convs" | "pan_blocks") => 16 << index(),
        // Projections of levels.
        _ => 8 << index(),
    }
}

/// Vectors that a linear layer is applied to.
fn tokens(config: &RtDetrConfig, name: &str, size: [i64; 2]) -> i64 {
    // Every cell goes through the heads of the query selection.
    let (queries, memory) = (config.decoder.num_queries, config.decoder.cells(size[0], size[1]));
    let last = config.decoder.eval_layer();
    let layer = |prefix: &str| name.strip_prefix(prefix)?.split('.').next()?.parse::<usize>().ok();
    match name {
        _ if name.starts_with("encoder.encoder.") => {
            let level = layer("encoder.encoder.").and_then(|i| config.encoder.use_encoder_idx.get(i));
            cells(size, 8 << level.copied().unwrap_or(2))
        }
        _ if name.contains(".value_proj.") && layer("decoder.decoder.layers.") <= Some(last) => memory,
        _ if name.starts_with("decoder.enc_") => memory,
        // One head for all layers.
        _ if name.starts_with("decoder.query_pos_head") => queries * (last as i64 + 1),
        // Only the layer that answers is asked for classes.
        _ if name.starts_with("decoder.dec_score_head.") => match layer("decoder.dec_score_head.") {
            Some(i) if i == last => queries,
            _ => 0,
        },
        _ => match layer("decoder.decoder.layers.").or(layer("decoder.dec_bbox_head.")) {
            Some(i) if i <= last => queries,
            _ => 0,
        },
    }
}
