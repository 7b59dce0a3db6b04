//! The names and the packing of Hugging Face's `RTDetrV2ForObjectDetection`.

use std::path::Path;

use guard_core::Detached;
use tch::Tensor;

use super::{StateDict, WeightsError};

/// Official and Hugging Face name of each part, `#` for a number; the first row that fits decides.
///
/// The right column is the form of the files on the hub, which transformers 5 still writes.
#[rustfmt::skip]
const PARTS: [(&str, &str); 44] = [
    ("backbone.conv1.conv1_1.conv", "model.backbone.model.embedder.embedder.0.convolution"),
    ("backbone.conv1.conv1_1.norm", "model.backbone.model.embedder.embedder.0.normalization"),
    ("backbone.conv1.conv1_2.conv", "model.backbone.model.embedder.embedder.1.convolution"),
    ("backbone.conv1.conv1_2.norm", "model.backbone.model.embedder.embedder.1.normalization"),
    ("backbone.conv1.conv1_3.conv", "model.backbone.model.embedder.embedder.2.convolution"),
    ("backbone.conv1.conv1_3.norm", "model.backbone.model.embedder.embedder.2.normalization"),
    ("backbone.res_layers.#.blocks.#.branch2a.conv", "model.backbone.model.encoder.stages.#.layers.#.layer.0.convolution"),
    ("backbone.res_layers.#.blocks.#.branch2a.norm", "model.backbone.model.encoder.stages.#.layers.#.layer.0.normalization"),
    ("backbone.res_layers.#.blocks.#.branch2b.conv", "model.backbone.model.encoder.stages.#.layers.#.layer.1.convolution"),
    ("backbone.res_layers.#.blocks.#.branch2b.norm", "model.backbone.model.encoder.stages.#.layers.#.layer.1.normalization"),
    ("backbone.res_layers.#.blocks.#.branch2c.conv", "model.backbone.model.encoder.stages.#.layers.#.layer.2.convolution"),
    ("backbone.res_layers.#.blocks.#.branch2c.norm", "model.backbone.model.encoder.stages.#.layers.#.layer.2.normalization"),
    ("backbone.res_layers.#.blocks.#.short.conv.conv", "model.backbone.model.encoder.stages.#.layers.#.shortcut.1.convolution"),
    ("backbone.res_layers.#.blocks.#.short.conv.norm", "model.backbone.model.encoder.stages.#.layers.#.shortcut.1.normalization"),
    ("backbone.res_layers.#.blocks.#.short.conv", "model.backbone.model.encoder.stages.#.layers.#.shortcut.convolution"),
    ("backbone.res_layers.#.blocks.#.short.norm", "model.backbone.model.encoder.stages.#.layers.#.shortcut.normalization"),
    ("encoder.input_proj.#.conv", "model.encoder_input_proj.#.0"),
    ("encoder.input_proj.#.norm", "model.encoder_input_proj.#.1"),
    ("encoder.encoder.#.layers.#.linear1", "model.encoder.encoder.#.layers.#.fc1"),
    ("encoder.encoder.#.layers.#.linear2", "model.encoder.encoder.#.layers.#.fc2"),
    ("encoder.encoder.#.layers.#.norm1", "model.encoder.encoder.#.layers.#.self_attn_layer_norm"),
    ("encoder.encoder.#.layers.#.norm2", "model.encoder.encoder.#.layers.#.final_layer_norm"),
    ("encoder", "model.encoder"),
    ("decoder.input_proj.#.conv", "model.decoder_input_proj.#.0"),
    ("decoder.input_proj.#.norm", "model.decoder_input_proj.#.1"),
    ("decoder.decoder.layers.#.linear1", "model.decoder.layers.#.fc1"),
    ("decoder.decoder.layers.#.linear2", "model.decoder.layers.#.fc2"),
    ("decoder.decoder.layers.#.norm1", "model.decoder.layers.#.self_attn_layer_norm"),
    ("decoder.decoder.layers.#.norm2", "model.decoder.layers.#.encoder_attn_layer_norm"),
    ("decoder.decoder.layers.#.norm3", "model.decoder.layers.#.final_layer_norm"),
    ("decoder.decoder.layers.#.cross_attn.num_points_scale", "model.decoder.layers.#.encoder_attn.n_points_scale"),
    ("decoder.decoder.layers.#.cross_attn", "model.decoder.layers.#.encoder_attn"),
    ("decoder.decoder.layers.#", "model.decoder.layers.#"),
    ("decoder.dec_score_head", "model.decoder.class_embed"),
    ("decoder.dec_bbox_head", "model.decoder.bbox_embed"),
    // Files of some versions hold the heads a second time.
    ("decoder.dec_score_head", "class_embed"),
    ("decoder.dec_bbox_head", "bbox_embed"),
    ("decoder.query_pos_head", "model.decoder.query_pos_head"),
    ("decoder.enc_output.proj", "model.enc_output.0"),
    ("decoder.enc_output.norm", "model.enc_output.1"),
    ("decoder.enc_score_head", "model.enc_score_head"),
    ("decoder.enc_bbox_head", "model.enc_bbox_head"),
    ("decoder.denoising_class_embed", "model.denoising_class_embed"),
    ("decoder.tgt_embed", "model.weight_embedding"),
];

/// Tables that the network makes by itself.
const OFFICIAL_TABLES: [&str; 2] = ["decoder.anchors", "decoder.valid_mask"];
const HUGGING_FACE_TABLES: [&str; 2] = ["model.anchors", "model.valid_mask"];

/// The projections that PyTorch's attention keeps in one tensor, in its order.
const PACKED: [&str; 3] = ["q_proj", "k_proj", "v_proj"];

/// What unknown names are said to be no part of.
const FORM: &str = "Hugging Face's RTDetrV2ForObjectDetection";

/// Whether the names are Hugging Face's.
pub(super) fn is_hugging_face(state: &StateDict) -> bool {
    state.has_prefix("model.encoder_input_proj.") || state.has_prefix("model.backbone.model.")
}

/// Hugging Face's tensors under the official keys, the attention weights packed.
///
/// # Errors
/// A name that the model does not have; a projection without its two companions; two different tensors for one key.
pub fn from_hugging_face(state: StateDict) -> Result<StateDict, WeightsError> {
    let mut official = StateDict::new(state.path());
    let kept = |name: &&str| !HUGGING_FACE_TABLES.contains(name);
    for name in state.names().filter(kept) {
        if let Some((packed, part)) = packed_name(name) {
            if part == 0 {
                official.insert(official_name(&packed, &state)?, pack(&state, name, &packed)?);
            } else if !state.contains(&name.replacen(PACKED[part], PACKED[0], 1)) {
                pack(&state, name, &packed)?;
            }
            continue;
        }
        let tensor = state.get(name).expect("listed");
        insert_once(&mut official, official_name(&hub_name(name), &state)?, &tensor)?;
    }
    Ok(official)
}

/// Official tensors in the form of the files on the hub, attention weights split.
///
/// Left out: anchors, which Hugging Face makes itself; layers after `last_layer`, which do not answer; the batch counts
/// of the backbone, whose norms Hugging Face freezes.
///
/// # Errors
/// A name that no network with a ResNet-vd has.
pub fn to_hugging_face(state: &StateDict, last_layer: usize) -> Result<StateDict, WeightsError> {
    let mut hub = StateDict::new(state.path());
    for (name, tensor) in state.iter() {
        let counts = name.starts_with("backbone.") && name.ends_with(".num_batches_tracked");
        if counts || OFFICIAL_TABLES.contains(&name) || decoder_layer(name).is_some_and(|i| i > last_layer) {
            continue;
        }
        let renamed = translate(name, |(official, hub)| (official, hub));
        let renamed = renamed.ok_or_else(|| unknown(state.path(), name))?;
        match renamed.split_once("in_proj_") {
            None => {
                hub.insert(renamed, Detached::new(&tensor));
            }
            Some((attention, part)) => {
                for (projection, piece) in PACKED.iter().zip(tensor.chunk(PACKED.len() as i64, 0)) {
                    hub.insert(format!("{attention}{projection}.{part}"), Detached::new(&piece));
                }
            }
        }
    }
    Ok(hub)
}

/// The layer that a tensor of the decoder belongs to.
fn decoder_layer(name: &str) -> Option<usize> {
    let prefixes = ["decoder.decoder.layers.", "decoder.dec_score_head.", "decoder.dec_bbox_head."];
    let rest = prefixes.iter().find_map(|prefix| name.strip_prefix(prefix))?;
    rest.split('.').next()?.parse().ok()
}

/// The name that a tensor has on the hub; transformers 5 has other names in memory.
fn hub_name(name: &str) -> String {
    let name = name.replace("model.encoder.aifi.", "model.encoder.encoder.");
    name.replace(".self_attn.o_proj.", ".self_attn.out_proj.").replace(".mlp.fc", ".fc")
}

fn official_name(hub: &str, state: &StateDict) -> Result<String, WeightsError> {
    translate(hub, |(official, hub)| (hub, official)).ok_or_else(|| unknown(state.path(), hub))
}

fn unknown(path: &Path, name: &str) -> WeightsError {
    WeightsError::UnknownName { path: path.to_owned(), name: name.to_owned(), expected: FORM }
}

/// For one of the three projections: the name of the packed tensor on the hub, and which of the three it is.
fn packed_name(name: &str) -> Option<(String, usize)> {
    let name = hub_name(name);
    let (attention, rest) = name.split_once(".self_attn.")?;
    let (projection, part) = rest.split_once('.')?;
    let index = PACKED.iter().position(|packed| *packed == projection)?;
    Some((format!("{attention}.self_attn.in_proj_{part}"), index))
}

/// Stacks query, key and value projection.
fn pack(state: &StateDict, name: &str, packed: &str) -> Result<Detached<Tensor>, WeightsError> {
    let own = PACKED.iter().find(|part| name.contains(*part)).expect("a projection");
    let names = PACKED.map(|part| name.replacen(own, part, 1));
    let parts: Vec<Tensor> = names.iter().filter_map(|name| state.get(name)).collect();
    let fit = parts.len() == names.len() && parts.iter().all(|part| part.size() == parts[0].size());
    if !fit {
        let there = names.iter().filter_map(|name| Some(format!("`{name}` {:?}", state.shape(name)?.0)));
        let there = there.collect::<Vec<_>>().join(", ");
        return Err(WeightsError::Parts {
            path: state.path().to_owned(),
            name: packed.to_owned(),
            expected: format!("{} of one shape", names.map(|name| format!("`{name}`")).join(", ")),
            found: there,
        });
    }
    Ok(Detached::from(Tensor::cat(&parts, 0)))
}

/// Refuses two different tensors for one key.
fn insert_once(state: &mut StateDict, name: String, tensor: &Tensor) -> Result<(), WeightsError> {
    match state.get(&name) {
        Some(first) if first.size() != tensor.size() || first != *tensor => Err(WeightsError::Parts {
            path: state.path().to_owned(),
            name,
            expected: "one tensor".to_owned(),
            found: "two that differ".to_owned(),
        }),
        Some(_) => Ok(()),
        None => {
            state.insert(name, Detached::new(tensor));
            Ok(())
        }
    }
}

/// The name with its first parts replaced by the first row of the table that fits; `columns` picks from and to.
fn translate(
    name: &str,
    columns: impl Fn((&'static str, &'static str)) -> (&'static str, &'static str),
) -> Option<String> {
    PARTS.into_iter().map(columns).find_map(|(from, to)| replace(name, from, to))
}

fn replace(name: &str, from: &str, to: &str) -> Option<String> {
    let mut parts = name.split('.');
    let mut numbers = Vec::new();
    for expected in from.split('.') {
        match (expected, parts.next()?) {
            ("#", number) if number.bytes().all(|b| b.is_ascii_digit()) => numbers.push(number),
            (expected, part) if expected == part => {}
            _ => return None,
        }
    }
    let mut numbers = numbers.into_iter();
    let filled = to.split('.').map(|part| if part == "#" { numbers.next().unwrap_or(part) } else { part });
    Some(filled.chain(parts).collect::<Vec<_>>().join("."))
}
