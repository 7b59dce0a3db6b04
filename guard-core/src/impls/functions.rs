//! Function pointers: they capture nothing.
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
