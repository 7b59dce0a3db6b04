//! Function pointers, which capture nothing, and closures behind `dyn Fn`, of which only the calls are judged.
//!
//! `fn(&Tensor) -> Tensor` is a type of its own beside every `fn(A) -> R`, so the usual mixtures of values and
//! borrows are listed.

// The lint asks whether these overlap; they do not, since a lifetime of the call is no type argument.
#![allow(coherence_leak_check)]

macro_rules! borrowing {
    ($([$($param:ident)*] ($($arg:ty),*);)*) => {$(
        super::leaf! { {$($param,)* R} fn($($arg),*) -> R; }
    )*};
}

macro_rules! by_value {
    ($($first:ident $($rest:ident)*)?) => {
        super::leaf! { {$($first, $($rest,)*)? R} fn($($first, $($rest),*)?) -> R; }
        $(by_value! { $($rest)* })?
    };
}

by_value! { A B C D E F G H I J K L }
borrowing! {
    [A] (&A);
    [A] (&mut A);
    [A B] (&A, B);
    [A B] (A, &B);
    [A B] (&A, &B);
    [A B] (&mut A, B);
    [A B] (&mut A, &B);
    [A B C] (&A, B, C);
    [A B C] (&A, &B, C);
    [A B C] (&A, &B, &C);
}

/// `dyn Fn` may be read: a step may call it. What it captured is not seen, so it is not `GraphFree`.
macro_rules! shared {
    ($([$($param:ident)*] ($($arg:ty),*);)*) => {$(
        shared! { @impl [$($param)*] ($($arg),*) +; }
        shared! { @impl [$($param)*] ($($arg),*) + Send +; }
        shared! { @impl [$($param)*] ($($arg),*) + Send + Sync +; }
    )*};
    (@impl [$($param:ident)*] ($($arg:ty),*) $(+ $auto:ident)* +;) => {
        #[diagnostic::do_not_recommend]
        impl<'a, $($param,)* R> crate::ReadOnly for dyn Fn($($arg),*) -> R $(+ $auto)* + 'a {}
    };
}

shared! {
    [] ();
    [A] (A);
    [A] (&A);
    [A B] (A, B);
    [A B] (&A, B);
    [A B] (A, &B);
    [A B] (&A, &B);
    [A B C] (A, B, C);
    [A B C] (&A, B, C);
    [A B C] (&A, &B, C);
    [A B C] (&A, &B, &C);
}
