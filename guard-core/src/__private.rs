//! What expanded code calls. Not part of the public interface.
//!
//! The functions only state bounds; their names show up in the compiler's notes.

use std::pin::Pin;

use crate::{GraphFree, ReadOnly};

pub use guard_macros::Owner;
pub use tch::Tensor;

/// Implemented by the hidden derive, and `GraphFree` for every type that has it: so no error lists the types of a program.
///
/// `fields` states the bounds of the fields where `Self`, generics and lifetimes of the item are in scope, and recursive
/// types do not overflow.
pub trait Owner: ReadOnly {
    /// Never called.
    fn fields() {}
}

/// To `ReadOnly` what `Owner` is to `GraphFree`.
pub trait Reader {}

#[diagnostic::do_not_recommend]
impl<T: ?Sized + Owner> GraphFree for T {}

#[diagnostic::do_not_recommend]
impl<T: ?Sized + Reader> ReadOnly for T {}

/// References, `Box` and `Pin` go the way of a type with the attribute: other crates may implement any trait for
/// `&Theirs`, so that an implementation of `GraphFree` for `&T` would overlap with the one for every `Owner`.
macro_rules! fundamental {
    ($([$($life:lifetime)? $param:ident : $read:ident] $ty:ty;)*) => {$(
        impl<$($life,)? $param: ?Sized + $read> Reader for $ty {}
        impl<$($life,)? $param: ?Sized + GraphFree> Owner for $ty {}
    )*};
}

fundamental! { ['a T: ReadOnly] &'a T; ['a T: GraphFree] &'a mut T; [T: ReadOnly] Box<T>; }

impl<P: ReadOnly> Reader for Pin<P> {}
impl<P: GraphFree> Owner for Pin<P> {}

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
