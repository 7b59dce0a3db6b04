//! The two marker traits of the policy: what may be kept past a step, and what may be read by it.

/// A value of this type can never keep an autograd graph alive.
///
/// What a training step keeps must be `GraphFree`, as what a thread takes along must be `Send`. The trait is
/// an allow-list: a type without an implementation counts as graph-bearing, and [`tch::Tensor`] has none.
/// Put `#[no_retain]` on a type of your own; the compiler then checks each of its fields.
///
/// The trait is safe to implement: a kept graph costs memory, it breaks no memory safety.
///
/// It serves as a bound as well, where a function of yours keeps what it is given:
///
/// ```
/// use guard_core::{Detached, GraphFree};
/// use tch::Tensor;
///
/// fn keep<T: GraphFree>(list: &mut Vec<T>, value: T) {
///     list.push(value);
/// }
///
/// keep(&mut Vec::new(), 0.25);
/// keep(&mut Vec::new(), Detached::from(Tensor::from(0.25f32)));
/// ```
///
/// ```compile_fail,E0277
/// # fn keep<T: guard_core::GraphFree>(list: &mut Vec<T>, value: T) {
/// #     list.push(value);
/// # }
/// keep(&mut Vec::new(), tch::Tensor::from(0.25f32));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can keep an autograd graph alive after the step",
    label = "outlives the step",
    note = "to log a number, keep `loss.double_value(&[])`",
    note = "to keep values, keep `Detached::new(&tensor)`: its `.get()` returns a tensor without history",
    note = "a parameter or buffer is a `Param`",
    note = "a type of your own in here needs `#[no_retain]` on its definition, a type parameter the bound `GraphFree`",
    note = "what one step alone needs is declared inside the loop body, or in a function marked `#[no_retain(step)]`; \
            data and constants are gathered under `no_grad(|| ...)`"
)]
pub trait GraphFree: ReadOnly {}

/// A step may read a value of this type that was made outside of it: no graph can be put in through `&`.
///
/// It is to [`GraphFree`] what `Sync` is to `Send`: plain tensors and collections of them may be read, cells and
/// locks may be read only when their content is `GraphFree`. Every `GraphFree` type is `ReadOnly`.
///
/// ```
/// use guard_core::{Detached, ReadOnly};
/// use std::cell::RefCell;
/// use tch::Tensor;
///
/// fn may_be_read<T: ReadOnly>() {}
///
/// may_be_read::<Vec<Tensor>>();
/// may_be_read::<RefCell<Vec<Detached<Tensor>>>>();
/// ```
///
/// ```compile_fail,E0277
/// # fn may_be_read<T: guard_core::ReadOnly>() {}
/// may_be_read::<std::cell::RefCell<Vec<tch::Tensor>>>(); // a graph could be put in
/// ```
#[diagnostic::on_unimplemented(
    message = "the step uses a `{Self}` from outside, which may keep an autograd graph",
    label = "used by every step, but `{Self}` is not `GraphFree`",
    note = "a type of your own needs `#[no_retain]` on its definition, a trait of your own too; a type parameter or an \
            `impl Trait` needs the bound `GraphFree`",
    note = "a cell, a lock or a channel may hold numbers, or tensors as `Detached`",
    note = "for a type of another crate, answer yourself: `#[no_retain(vouch(variable, reason = \"...\"))]`"
)]
pub trait ReadOnly {}
