//! The counter hash that fills parameters and images in place of stored weights (see `fixtures/formula.json`).

use tch::{Kind, Tensor, nn};

/// FNV-1a, 64 bits.
pub fn fnv1a(key: &str) -> u64 {
    key.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Element `i` of the stream of `seed`, 24 bits.
pub fn u24(seed: u64, i: u64) -> u32 {
    let mut z = seed.wrapping_add((i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 40) as u32
}

/// `shift + scale * u` with u in [-1, 1), computed in f64 and rounded once.
pub fn values(key: &str, dims: &[i64], shift: f64, scale: f64) -> Tensor {
    let seed = fnv1a(key);
    let value = |i| (shift + scale * (f64::from(u24(seed, i)) / f64::from(1 << 23) - 1.)) as f32;
    let values: Vec<f32> = (0..dims.iter().product::<i64>() as u64).map(value).collect();
    Tensor::from_slice(&values).view(dims)
}

/// An image batch in [0, 1).
pub fn image(key: &str, dims: [i64; 4]) -> Tensor {
    let seed = fnv1a(key);
    let values: Vec<f32> =
        (0..dims.iter().product::<i64>() as u64).map(|i| u24(seed, i) as f32 / (1 << 24) as f32).collect();
    Tensor::from_slice(&values).view(dims)
}

/// Fills every parameter of `store`; names are hashed behind `prefix`.
pub fn fill(store: &nn::VarStore, prefix: &str) {
    for (name, tensor) in store.variables() {
        let dims = tensor.size();
        let Some((shift, scale)) = rule(&name, &dims) else { continue };
        let filled = values(&format!("{prefix}{name}"), &dims, shift, scale);
        if name.ends_with("denoising_class_embed.weight") {
            let _ = filled.select(0, dims[0] - 1).zero_();
        }
        tensor.detach().copy_(&filled.to_kind(Kind::Float));
    }
}

/// Shift and scale for a name and its dimensions; `None` leaves the tensor as constructed.
fn rule(name: &str, dims: &[i64]) -> Option<(f64, f64)> {
    let ends = |suffixes: &[&str]| suffixes.iter().any(|suffix| name.ends_with(suffix));
    let fan_in = || dims[1..].iter().product::<i64>() as f64;
    Some(match dims.len() {
        _ if ends(&["num_batches_tracked", "anchors", "valid_mask", "num_points_scale"]) => return None,
        _ if ends(&["running_mean"]) => (0., 0.1),
        _ if ends(&["running_var"]) => (1., 0.5),
        _ if ends(&["lab.scale"]) => (1., 0.1),
        _ if ends(&["sampling_offsets.bias"]) => (0., 2.),
        _ if ends(&["denoising_class_embed.weight", "tgt_embed.weight"]) => (0., 1.),
        4 => (0., (6. / fan_in()).sqrt()),
        2 => (0., (3. / fan_in()).sqrt()),
        _ if ends(&["bn.weight"]) => (0.9, 0.25),
        1 if ends(&["weight"]) => (0.75, 0.25),
        _ => (0., 0.1),
    })
}
