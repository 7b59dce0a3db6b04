use crate::{Detach, Detached};
use tch::no_grad_guard;

/// Runs `f` without grad and detaches what it returns.
///
/// Use it where `tch::no_grad` would stand around an evaluation. That one records nothing either, but a view taken in it
/// still pins the graph of what it is a view of, and after a panic in `f` grad mode stays off. Here neither happens.
///
/// ```
/// use guard_core::no_graph;
/// use tch::{Kind, Tensor};
///
/// let logits = Tensor::from_slice(&[1.0f32, 2.0]).set_requires_grad(true) * 2.0;
/// let first = no_graph(|| logits.get(0)); // a view of something with a graph
/// assert!(!first.get().requires_grad());
/// assert_eq!(first.double_value(&[]), 2.0);
/// ```
pub fn no_graph<T: Detach>(f: impl FnOnce() -> T) -> Detached<T> {
    let _no_grad = no_grad_guard();
    Detached::from(f())
}
