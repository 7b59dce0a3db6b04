//! What expanded code calls. Not part of the public interface.
//!
//! The functions only state bounds; their names show up in the compiler's notes.

use crate::{GraphFree, ReadOnly};

pub use guard_macros::Owner;
pub use tch::Tensor;

/// Implemented next to `GraphFree` by the hidden derive; `fields` states the bounds of the fields where `Self`,
/// generics and lifetimes of the item are in scope, and recursive types do not overflow.
pub trait Owner {
    /// Never called.
    fn fields();
}

/// The type of a field of a `#[no_retain]` type.
pub fn field_of_a_no_retain_type<T: ?Sized + GraphFree>() {}

/// The type of a static.
pub fn kept_in_a_static<T: ?Sized + GraphFree>() {}

/// A place declared outside of the step and changed by it.
pub fn kept_after_the_step<T: ?Sized + GraphFree>(_: &T) {}

/// A place declared outside of the step and read by it.
pub fn read_by_every_step<T: ?Sized + ReadOnly>(_: &T) {}

/// A `static mut` that is assigned; no reference to it is made.
pub fn assigned_static<T: GraphFree>(_: *const T) {}

/// A value handed to something that keeps it.
pub fn stored<T: GraphFree>(value: T) -> T {
    value
}

/// What an in-place operation writes into a tensor from outside of the step.
pub fn written_in_place<T: ?Sized + Written>(_: &T) {}

/// [`GraphFree`], asked of what an in-place operation writes.
#[diagnostic::on_unimplemented(
    message = "writing a `{Self}` in place ties its graph to a tensor from outside of the step",
    label = "written together with its graph",
    note = "to write the value alone, detach it: `.copy_(&value.detach())`",
    note = "or write where no graph is recorded: in `no_grad(|| ...)`, or after `let _guard = no_grad_guard();`"
)]
pub trait Written {}

#[diagnostic::do_not_recommend]
impl<T: ?Sized + GraphFree> Written for T {}

/// A variable that a spawned thread takes along.
pub fn sent_to_a_thread<T: ?Sized + GraphFree>(_: &T) {}
