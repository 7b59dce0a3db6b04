//! The allow-list, type by type.
//!
//! No blanket implementation of [`ReadOnly`](crate::ReadOnly) for every `GraphFree` type is possible beside the
//! one for `Vec<T>` and its like (E0119), hence the pairs below.
//!
//! `do_not_recommend` keeps rustc from listing other types in every error, and from explaining step by step why
//! `RefCell<Vec<Tensor>>` was refused: the error names the type whole, aliases resolved.

mod containers;
mod external;
mod functions;
mod iterators;
mod tch;
mod values;

/// Types that hold no other value: both traits, unconditionally.
macro_rules! leaf {
    ($($(#[$attr:meta])* $({$($param:tt)*})? $ty:ty;)*) => {$(
        $(#[$attr])* #[diagnostic::do_not_recommend]
        impl $(<$($param)*>)? crate::ReadOnly for $ty {}
        $(#[$attr])* #[diagnostic::do_not_recommend]
        impl $(<$($param)*>)? crate::GraphFree for $ty {}
    )*};
}

/// Types that own values and lend them plainly: as good as what they hold.
macro_rules! holder {
    ($([$($life:lifetime,)* $($param:ident),* $(; $($rest:tt)*)?] $ty:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($life,)* $($param: ?Sized + crate::ReadOnly,)* $($($rest)*)?> crate::ReadOnly for $ty {}
        #[diagnostic::do_not_recommend]
        impl<$($life,)* $($param: ?Sized + crate::GraphFree,)* $($($rest)*)?> crate::GraphFree for $ty {}
    )*};
}

/// Types through which a value can be put in by `&`: even reading asks that the content is `GraphFree`.
macro_rules! cell {
    ($([$($life:lifetime,)* $($param:ident),* $(; $($rest:tt)*)?] $ty:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($life,)* $($param: ?Sized + crate::GraphFree,)* $($($rest)*)?> crate::ReadOnly for $ty {}
        #[diagnostic::do_not_recommend]
        impl<$($life,)* $($param: ?Sized + crate::GraphFree,)* $($($rest)*)?> crate::GraphFree for $ty {}
    )*};
}

/// [`holder!`] for types whose parameters are sized.
macro_rules! sized_holder {
    ($([$($life:lifetime,)* $($param:ident),* $(; $($rest:tt)*)?] $ty:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($life,)* $($param: crate::ReadOnly,)* $($($rest)*)?> crate::ReadOnly for $ty {}
        #[diagnostic::do_not_recommend]
        impl<$($life,)* $($param: crate::GraphFree,)* $($($rest)*)?> crate::GraphFree for $ty {}
    )*};
}

/// [`cell!`] for types whose parameters are sized.
macro_rules! sized_cell {
    ($([$($life:lifetime,)* $($param:ident),* $(; $($rest:tt)*)?] $ty:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($life,)* $($param: crate::GraphFree,)* $($($rest)*)?> crate::ReadOnly for $ty {}
        #[diagnostic::do_not_recommend]
        impl<$($life,)* $($param: crate::GraphFree,)* $($($rest)*)?> crate::GraphFree for $ty {}
    )*};
}

use {cell, holder, leaf, sized_cell, sized_holder};
