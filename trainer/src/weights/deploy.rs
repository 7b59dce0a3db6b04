//! Folding RepVGG blocks for deployment.

use guard_core::Detached;
use tch::{Kind, Tensor};

use super::{StateDict, WeightsError};

/// Added to the variance by the norms of the network.
const EPS: f64 = 1e-5;

/// The state of the same network with `encoder.deploy`: each RepVGG block one 3x3 convolution with a bias.
///
/// A block sums a 3x3 and a 1x1 convolution, each with its norm. In evaluation all of that is linear: the norms scale the
/// kernels, and the 1x1 kernel is the centre of a 3x3 one. Computed in double precision, rounded once.
///
/// # Errors
/// When a block lacks a tensor.
pub fn fold(state: &StateDict) -> Result<StateDict, WeightsError> {
    let mut folded = StateDict::new(state.path());
    for (name, tensor) in state.iter() {
        match block_of(name) {
            None => {
                folded.insert(name.to_owned(), Detached::new(&tensor));
            }
            Some(block) if !folded.contains(&format!("{block}.conv.weight")) => {
                let (kernel, bias) = fold_block(state, block)?;
                folded.insert(format!("{block}.conv.weight"), Detached::from(kernel));
                folded.insert(format!("{block}.conv.bias"), Detached::from(bias));
            }
            Some(_) => {}
        }
    }
    Ok(folded)
}

/// The RepVGG block of which `name` is a branch.
fn block_of(name: &str) -> Option<&str> {
    let (csp, rest) = name.split_once(".bottlenecks.")?;
    let (index, part) = rest.split_once('.')?;
    let branch = part.starts_with("conv1.") || part.starts_with("conv2.");
    branch.then(|| &name[..csp.len() + ".bottlenecks.".len() + index.len()])
}

/// Kernel `[C, C, 3, 3]` and bias `[C]` of a block.
fn fold_block(state: &StateDict, block: &str) -> Result<(Tensor, Tensor), WeightsError> {
    let (kernel3, bias3) = fold_branch(state, &format!("{block}.conv1"))?;
    let (kernel1, bias1) = fold_branch(state, &format!("{block}.conv2"))?;
    let kernel = kernel3 + kernel1.constant_pad_nd([1, 1, 1, 1]);
    Ok((kernel.to_kind(Kind::Float), (bias3 + bias1).to_kind(Kind::Float)))
}

/// Kernel and bias of a convolution with its norm: `k * t` and `beta - mean * t`, `t = gamma / sqrt(var + eps)`.
fn fold_branch(state: &StateDict, branch: &str) -> Result<(Tensor, Tensor), WeightsError> {
    let double = |part: &str| {
        let name = format!("{branch}.{part}");
        let tensor = state.get(&name).ok_or_else(|| WeightsError::Architecture {
            path: state.path().to_owned(),
            problem: format!("no tensor `{name}`"),
            found: format!("{} tensors", state.len()),
        })?;
        Ok::<_, WeightsError>(tensor.to_kind(Kind::Double))
    };
    let scale = double("norm.weight")? / (double("norm.running_var")? + EPS).sqrt(); // [C]
    let bias = double("norm.bias")? - double("norm.running_mean")? * &scale;
    Ok((double("conv.weight")? * scale.view([-1, 1, 1, 1]), bias))
}
