use crate::native;
use tch::Tensor;

/// The number of autograd nodes that `tensor` keeps alive: 0 for a detached tensor and for a leaf.
///
/// Walks `grad_fn` (that of the base too, for a view) and its `next_edges` iteratively, at
/// about 60 ns a node. `backward` frees the saved
/// tensors but not the nodes, so a loss that is kept after it still counts here while its bytes are gone.
///
/// ```
/// let w = tch::Tensor::ones([2], (tch::Kind::Float, tch::Device::Cpu)).set_requires_grad(true);
/// assert_eq!(guard_core::graph_nodes(&w), 0);
/// assert_eq!(guard_core::graph_nodes(&(&w * 2.0)), 2); // MulBackward0 and AccumulateGrad
/// ```
pub fn graph_nodes(tensor: &Tensor) -> usize {
    usize::try_from(native::graph_nodes(tensor)).unwrap_or(0)
}
