use crate::facts::{describe, facts};
use crate::{GraphFree, ReadOnly};
use std::fmt;
use tch::{Tensor, nn, no_grad_guard};

/// A leaf tensor registered in a `VarStore`, a trainable parameter or a buffer: [`GraphFree`], because a leaf has no
/// history.
///
/// ```
/// use guard_core::Param;
/// use tch::{Device, nn};
///
/// let vs = nn::VarStore::new(Device::Cpu);
/// let scale = Param::new(&vs.root(), "scale", &[64], nn::Init::Const(1.0));
/// let mean = Param::buffer(&vs.root(), "running_mean", &[64], nn::Init::Const(0.0));
/// assert!(scale.tensor().requires_grad());
/// assert!(!mean.tensor().requires_grad());
/// assert_eq!((vs.variables().len(), vs.trainable_variables().len()), (2, 1));
/// ```
pub struct Param(Tensor);

facts! { Param }

#[diagnostic::do_not_recommend]
impl ReadOnly for Param {}
#[diagnostic::do_not_recommend]
impl GraphFree for Param {}

impl Param {
    /// A trainable parameter of shape `dims` named `name` under `path`, in the store's kind.
    ///
    /// # Panics
    /// When `name` contains a `.`, or libtorch refuses `dims` or `init` (an orthogonal init of a vector).
    pub fn new(path: &nn::Path, name: &str, dims: &[i64], init: nn::Init) -> Self {
        Self(path.var(name, dims, init))
    }

    /// A float buffer: saved and loaded with the store, never seen by an optimizer.
    ///
    /// # Panics
    /// As [`Param::new`].
    pub fn buffer(path: &nn::Path, name: &str, dims: &[i64], init: nn::Init) -> Self {
        let mut tensor = path.zeros_no_train(name, dims);
        let _no_grad = no_grad_guard();
        init.set(&mut tensor);
        Self(tensor)
    }

    /// A buffer of any kind that starts as a copy of `value`: counts, masks, tables.
    ///
    /// ```
    /// # use {guard_core::Param, tch::{Device, Kind, Tensor, nn}};
    /// let vs = nn::VarStore::new(Device::Cpu);
    /// let steps = Param::buffer_from(&vs.root(), "num_batches_tracked", &Tensor::from(0i64));
    /// assert_eq!(steps.kind(), Kind::Int64);
    /// ```
    pub fn buffer_from(path: &nn::Path, name: &str, value: &Tensor) -> Self {
        let _no_grad = no_grad_guard();
        Self(path.add(name, value.detach().to_device(path.device()).copy(), false))
    }

    /// Excludes the parameter from training.
    pub fn freeze(&self) {
        let _ = self.0.set_requires_grad(false);
    }

    /// Every variable of `store` with its name, sorted by name: what a store registers is a leaf.
    pub fn all(store: &nn::VarStore) -> Vec<(String, Self)> {
        let mut all: Vec<_> = store.variables().into_iter().map(|(name, leaf)| (name, Self(leaf))).collect();
        all.sort_by(|(a, _), (b, _)| a.cmp(b));
        all
    }

    /// A handle for the forward pass, sharing memory with the store.
    ///
    /// While the parameter is trained this is the leaf itself, which autograd protects: it refuses in-place operations
    /// under grad. A buffer, and a parameter frozen by `VarStore::freeze`, hands out a detached handle, so that an
    /// in-place operation with a graph changes the values and attaches nothing here.
    pub fn tensor(&self) -> Tensor {
        match self.0.requires_grad() {
            true => self.0.shallow_clone(),
            false => self.0.detach(),
        }
    }

    /// Copies the elements of `value` into the leaf, without grad.
    ///
    /// ```
    /// # use {guard_core::Param, tch::{Device, nn}};
    /// let vs = nn::VarStore::new(Device::Cpu);
    /// let average = Param::buffer(&vs.root(), "average", &[1], nn::Init::Const(0.0));
    /// let weight = Param::new(&vs.root(), "weight", &[1], nn::Init::Const(1.0));
    /// average.set(&average.tensor().lerp(&weight.tensor(), 0.25)); // the value, not the graph
    /// assert_eq!(average.tensor().double_value(&[0]), 0.25);
    /// assert!(!average.tensor().requires_grad());
    /// ```
    ///
    /// # Panics
    /// When `value` does not broadcast to this shape.
    pub fn set(&self, value: &Tensor) {
        let _no_grad = no_grad_guard();
        self.0.detach().copy_(&value.detach());
    }
}

/// Shape, kind and device, never the elements.
impl fmt::Debug for Param {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Param").field(&format_args!("{}", describe(&self.0))).finish()
    }
}
