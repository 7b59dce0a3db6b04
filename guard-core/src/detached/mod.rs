use crate::{Detach, GraphFree, ReadOnly, facts::describe, native};
use std::collections::HashSet;
use std::fmt;
use tch::{Tensor, no_grad_guard};

mod ops;

/// A value cut off from its autograd graph, for as long as it lives: [`GraphFree`] by construction.
///
/// It owns its memory: construction detaches every tensor and copies those that share their storage with anything
/// else or are a view of a larger one (the 0-d result of `mse_loss(Mean)` owns the whole element-wise buffer). It never
/// lends `&Tensor`, through which a graph could be attached again; it hands out fresh detached handles instead.
///
/// ```
/// use guard_core::Detached;
/// use tch::{Device, Kind, Tensor};
///
/// let w = Tensor::ones([2], (Kind::Float, Device::Cpu)).set_requires_grad(true);
/// let mut total = Detached::from(Tensor::from(0.0f32));
/// for _ in 0..3 {
///     let loss = (&w * 2.0).sum(Kind::Float);
///     loss.backward();
///     total += &loss; // the value, not the graph
/// }
/// assert_eq!(total.double_value(&[]), 12.0);
/// assert!(!total.get().requires_grad());
/// ```
///
/// It is written and read in the formats of tch, through a handle:
///
/// ```
/// # use {guard_core::Detached, tch::{Device, Kind, Tensor}};
/// # let path = std::env::temp_dir().join("guard_core_centre.safetensors");
/// let centre = Detached::new(&Tensor::ones([2], (Kind::Float, Device::Cpu)));
/// Tensor::write_safetensors(&[("centre", centre.get())], &path)?;
/// let (_name, tensor) = Tensor::read_safetensors(&path)?.remove(0);
/// assert_eq!(Detached::from(tensor).double_value(&[1]), 1.0);
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Detached<T>(T);

#[diagnostic::do_not_recommend]
impl<T> ReadOnly for Detached<T> {}
#[diagnostic::do_not_recommend]
impl<T> GraphFree for Detached<T> {}

impl<T: Detach> Detached<T> {
    /// Detaches and copies `value`; the original keeps its graph and its memory.
    ///
    /// Where the value is given away anyway, `Detached::from(value)` copies only if it must.
    ///
    /// ```
    /// # use {guard_core::Detached, tch::{Device, Kind, Tensor}};
    /// let batch = Tensor::zeros([64, 100], (Kind::Float, Device::Cpu));
    /// let first = Detached::new(&batch.get(0)); // the row alone, not the batch it is a view of
    /// assert_eq!(first.storage_bytes(), Some(400));
    /// ```
    ///
    /// # Panics
    /// Where libtorch cannot copy, for want of memory.
    pub fn new(value: &T) -> Self {
        Self(value.map_tensors(&mut owned_copy))
    }

    /// A fresh handle: detached, sharing memory with `self`.
    ///
    /// An in-place operation through it changes the values here; a graph can only ever attach to the handle.
    ///
    /// ```
    /// # use {guard_core::Detached, tch::{Kind, Tensor}};
    /// let weight = Tensor::from_slice(&[3.0f32]).set_requires_grad(true);
    /// let input = Detached::from(Tensor::from_slice(&[2.0f32]));
    /// let product = &weight * input.get(); // has a graph, `input` has none
    /// assert!(product.requires_grad() && !input.get().requires_grad());
    /// ```
    pub fn get(&self) -> T {
        self.0.map_tensors(&mut handle)
    }

    /// Replaces the value by a detached copy of `value`; handles taken before keep the old one.
    ///
    /// ```
    /// use guard_core::{Detached, no_retain};
    /// use tch::{Device, Kind, Tensor};
    ///
    /// #[no_retain]
    /// fn unroll(w: &Tensor, state: &mut Detached<Tensor>) {
    ///     for _ in 0..3 {
    ///         let hidden = (w * &state.get()).tanh();
    ///         hidden.sum(Kind::Float).backward();
    ///         state.set(&hidden); // truncated back-propagation: the next step starts without a graph
    ///     }
    /// }
    ///
    /// let w = Tensor::ones([4], (Kind::Float, Device::Cpu)).set_requires_grad(true);
    /// let mut state = Detached::new(&w);
    /// unroll(&w, &mut state);
    /// assert!(!state.get().requires_grad());
    /// ```
    pub fn set(&mut self, value: &T) {
        self.0 = value.map_tensors(&mut owned_copy);
    }

    /// Lets `f` change the value in place or replace parts of it, without grad, and detaches what it leaves.
    ///
    /// ```
    /// # use {guard_core::Detached, tch::Tensor};
    /// let weight = Tensor::from_slice(&[4.0f32]).set_requires_grad(true);
    /// let mut average = Detached::from(Tensor::from_slice(&[2.0f32]));
    /// average.update(|t| { let _ = t.lerp_(&weight, 0.5); });
    /// assert_eq!(average.double_value(&[0]), 3.0);
    /// ```
    pub fn update<R>(&mut self, f: impl FnOnce(&mut T) -> R) -> R {
        let _no_grad = no_grad_guard();
        let mut mine = HashSet::new();
        let mut value = self.0.map_tensors(&mut |t| {
            mine.insert(native::storage_id(t));
            handle(t)
        });
        let result = f(&mut value);
        self.0 = value.map_tensors(&mut |t| match mine.contains(&native::storage_id(t))
            && native::is_compact(t)
        {
            true => t.detach(),
            false => owned(t),
        });
        result
    }

    /// A new detached value computed from this one, without grad.
    ///
    /// ```
    /// # use {guard_core::Detached, tch::{Device, Kind, Tensor}};
    /// let features = Detached::new(&Tensor::ones([2, 3], (Kind::Float, Device::Cpu)));
    /// let halves = features.map(|t| t.to_kind(Kind::Half).to_device(Device::Cpu));
    /// assert_eq!(halves.kind(), Kind::Half);
    /// ```
    pub fn map<U: Detach>(&self, f: impl FnOnce(T) -> U) -> Detached<U> {
        let _no_grad = no_grad_guard();
        Detached::from(f(self.get()))
    }

    /// The value itself, without a graph; from here on the caller may attach one.
    pub fn into_inner(self) -> T {
        self.0
    }
}

/// Detaches a value that is given away, without copying where it owns its memory alone.
impl<T: Detach> From<T> for Detached<T> {
    fn from(value: T) -> Self {
        Self(value.map_tensors(&mut owned))
    }
}

/// Copies: two `Detached` never share memory.
impl<T: Detach> Clone for Detached<T> {
    fn clone(&self) -> Self {
        Self::new(&self.0)
    }
}

impl<T: Detach + Default> Default for Detached<T> {
    fn default() -> Self {
        Self::from(T::default())
    }
}

/// Shape, kind and device of every tensor, never the elements.
impl<T: Detach> fmt::Debug for Detached<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = out.debug_tuple("Detached");
        self.0.map_tensors(&mut |t| {
            shown.field(&format_args!("{}", describe(t)));
            handle(t)
        });
        shown.finish()
    }
}

/// A detached handle on the same memory.
fn handle(tensor: &Tensor) -> Tensor {
    match tensor.defined() {
        true => tensor.detach(),
        false => Tensor::new(),
    }
}

/// Detaches a tensor whose owner is about to drop it.
fn owned(tensor: &Tensor) -> Tensor {
    match native::is_compact(tensor) && native::is_sole_owner(tensor) {
        true => tensor.detach(),
        false => owned_copy(tensor),
    }
}

/// A graph-free copy in memory of its own, of the size of the elements.
fn owned_copy(tensor: &Tensor) -> Tensor {
    let _no_grad = no_grad_guard();
    match tensor.defined() {
        true => tensor.detach().copy(),
        false => Tensor::new(),
    }
}
