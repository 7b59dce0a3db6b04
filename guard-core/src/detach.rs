use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::{BuildHasher, Hash};
use std::marker::PhantomData;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tch::{Device, Kind, Tensor, nn, vision::dataset::Dataset};

/// A value made of tensors that can be cut from its graph: what [`Detached`](crate::Detached) can hold.
///
/// Implemented for `Tensor`, for `Option`, `Box`, `Vec`, `VecDeque`, arrays, tuples and maps of such values, for the states
/// of the recurrent layers and the data sets of tch, and for plain values beside them: numbers, text, times, paths. For a type of your own, derive it:
///
/// ```
/// use guard_core::{Detach, Detached};
/// use tch::Tensor;
///
/// #[derive(Detach)]
/// struct Memory { keys: Tensor, values: Vec<Tensor>, step: usize }
///
/// let w = Tensor::from_slice(&[1.0f32]).set_requires_grad(true);
/// let kept = Detached::new(&Memory { keys: &w * 2.0, values: vec![&w * 3.0], step: 1 });
/// assert!(!kept.get().keys.requires_grad());
/// ```
///
/// An implementation that passes a tensor on without calling `f` breaks the promise of `Detached`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be cut from its graph",
    label = "not `Detach`",
    note = "a type of your own made of tensors needs `#[derive(Detach)]` on its definition",
    note = "a cell or lock goes around it, not inside: `Mutex<Detached<Tensor>>`"
)]
pub trait Detach: Sized {
    /// The same value with every tensor `t` in it replaced by `f(&t)`, each visited exactly once.
    fn map_tensors(&self, f: &mut dyn FnMut(&Tensor) -> Tensor) -> Self;
}

// No impl is recommended: rustc would list them all below every error.
#[diagnostic::do_not_recommend]
impl Detach for Tensor {
    fn map_tensors(&self, f: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
        f(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Detach> Detach for Option<T> {
    fn map_tensors(&self, f: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
        self.as_ref().map(|value| value.map_tensors(f))
    }
}

#[diagnostic::do_not_recommend]
impl<T: Detach> Detach for Box<T> {
    fn map_tensors(&self, f: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
        Box::new(T::map_tensors(self, f))
    }
}

#[diagnostic::do_not_recommend]
impl<T: Detach> Detach for Box<[T]> {
    fn map_tensors(&self, f: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
        self.iter().map(|value| value.map_tensors(f)).collect()
    }
}

#[diagnostic::do_not_recommend]
impl<T: Detach> Detach for Vec<T> {
    fn map_tensors(&self, f: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
        self.iter().map(|value| value.map_tensors(f)).collect()
    }
}

#[diagnostic::do_not_recommend]
impl<T: Detach> Detach for VecDeque<T> {
    fn map_tensors(&self, f: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
        self.iter().map(|value| value.map_tensors(f)).collect()
    }
}

#[diagnostic::do_not_recommend]
impl<T: Detach, const N: usize> Detach for [T; N] {
    fn map_tensors(&self, f: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
        std::array::from_fn(|i| self[i].map_tensors(f))
    }
}

#[diagnostic::do_not_recommend]
impl<K: Detach + Eq + Hash, V: Detach, S: BuildHasher + Default> Detach for HashMap<K, V, S> {
    fn map_tensors(&self, f: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
        self.iter().map(|(key, value)| (key.map_tensors(f), value.map_tensors(f))).collect()
    }
}

#[diagnostic::do_not_recommend]
impl<K: Detach + Ord, V: Detach> Detach for BTreeMap<K, V> {
    fn map_tensors(&self, f: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
        self.iter().map(|(key, value)| (key.map_tensors(f), value.map_tensors(f))).collect()
    }
}

#[diagnostic::do_not_recommend]
impl Detach for nn::LSTMState {
    fn map_tensors(&self, f: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
        Self(self.0.map_tensors(f))
    }
}

#[diagnostic::do_not_recommend]
impl Detach for Dataset {
    fn map_tensors(&self, f: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
        Self {
            train_images: f(&self.train_images),
            train_labels: f(&self.train_labels),
            test_images: f(&self.test_images),
            test_labels: f(&self.test_labels),
            labels: self.labels,
        }
    }
}

#[diagnostic::do_not_recommend]
impl Detach for nn::GRUState {
    fn map_tensors(&self, f: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
        Self(self.0.map_tensors(f))
    }
}

/// Tuples of up to twelve, as std does.
macro_rules! detach_tuples {
    ($first:ident $($rest:ident)*) => {
        #[diagnostic::do_not_recommend]
        impl<$first: Detach, $($rest: Detach),*> Detach for ($first, $($rest,)*) {
            #[allow(non_snake_case, reason = "each value is called as its type")]
            fn map_tensors(&self, f: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
                let ($first, $($rest,)*) = self;
                ($first.map_tensors(f), $($rest.map_tensors(f),)*)
            }
        }
        detach_tuples! { $($rest)* }
    };
    () => {};
}

detach_tuples! { A B C D E F G H I J K L }

/// Plain data that may stand beside tensors.
macro_rules! detach_plain {
    ($($plain:ty),+) => {$(
        #[diagnostic::do_not_recommend]
        impl Detach for $plain {
            fn map_tensors(&self, _f: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
                self.clone()
            }
        }
    )+};
}

detach_plain!((), bool, char, String, &'static str, PathBuf, Duration, Instant, Kind, Device);
detach_plain!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, f32, f64);

#[diagnostic::do_not_recommend]
impl<T> Detach for PhantomData<T> {
    fn map_tensors(&self, _f: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
        Self
    }
}
