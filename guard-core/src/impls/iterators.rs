//! Iterators: as good as what they walk over and, for the adapters, as the function they call.
//!
//! No closure is `GraphFree`, so that `Map` and its like are only with a function pointer; `Peekable` and `Flatten` keep
//! an element. `str::Split` is missing: its bound has no stable name.

use std::{
    array,
    collections::{binary_heap, btree_map, btree_set, hash_map, hash_set, vec_deque},
    iter, option, result, slice, vec,
};

use super::{sized_cell, sized_holder};
use crate::{GraphFree, ReadOnly};

sized_holder! {
    [T] vec::IntoIter<T>; [T; const N: usize] array::IntoIter<T, N>; [T] option::IntoIter<T>; [T] result::IntoIter<T>;
    ['a, T] option::Iter<'a, T>; ['a, T] slice::Iter<'a, T>; ['a, T] slice::Windows<'a, T>;
    ['a, T] slice::Chunks<'a, T>; ['a, T] slice::ChunksExact<'a, T>; ['a, T] slice::RChunks<'a, T>;
    [T] vec_deque::IntoIter<T>; ['a, T] vec_deque::Iter<'a, T>;
    [T] binary_heap::IntoIter<T>; ['a, T] binary_heap::Iter<'a, T>;
    [T] btree_set::IntoIter<T>; ['a, T] btree_set::Iter<'a, T>;
    [T] hash_set::IntoIter<T>; ['a, T] hash_set::Iter<'a, T>;
    [K, V] hash_map::IntoIter<K, V>; ['a, K, V] hash_map::Iter<'a, K, V>;
    ['a, K, V] hash_map::Keys<'a, K, V>; ['a, K, V] hash_map::Values<'a, K, V>;
    [K, V] btree_map::IntoIter<K, V>; ['a, K, V] btree_map::Iter<'a, K, V>;
    ['a, K, V] btree_map::Keys<'a, K, V>; ['a, K, V] btree_map::Values<'a, K, V>;
}

sized_holder! {
    [I] iter::Enumerate<I>; [I] iter::Take<I>; [I] iter::Skip<I>; [I] iter::StepBy<I>; [I] iter::Rev<I>;
    [I] iter::Cycle<I>; [I] iter::Cloned<I>; [I] iter::Copied<I>; [I] iter::Fuse<I>; [A, B] iter::Chain<A, B>;
    [A, B] iter::Zip<A, B>; [T] iter::Once<T>; [T] iter::Empty<T>; [T] iter::Repeat<T>;
    [I, F] iter::Map<I, F>; [I, F] iter::Filter<I, F>; [I, F] iter::FilterMap<I, F>; [I, F] iter::Inspect<I, F>;
    [I, F] iter::TakeWhile<I, F>; [I, F] iter::SkipWhile<I, F>; [I, F] iter::MapWhile<I, F>;
    [F] iter::FromFn<F>; [F] iter::RepeatWith<F>; [F] iter::OnceWith<F>;
}

sized_cell! {
    ['a, T] slice::IterMut<'a, T>; ['a, T] slice::ChunksMut<'a, T>; ['a, T] slice::ChunksExactMut<'a, T>;
    ['a, T] vec::Drain<'a, T>; ['a, T] vec_deque::IterMut<'a, T>; ['a, T] vec_deque::Drain<'a, T>;
    ['a, K, V] hash_map::IterMut<'a, K, V>; ['a, K, V] hash_map::ValuesMut<'a, K, V>;
    ['a, K, V] hash_map::Drain<'a, K, V>;
    ['a, K, V] btree_map::IterMut<'a, K, V>; ['a, K, V] btree_map::ValuesMut<'a, K, V>;
    [T, F] iter::Successors<T, F>; [I, S, F] iter::Scan<I, S, F>;
    [; I: Iterator<Item: GraphFree> + GraphFree] iter::Peekable<I>;
}

/// `Flatten` holds the iterator of the element it is in.
macro_rules! flattened {
    ($marker:ident) => {
        #[diagnostic::do_not_recommend]
        impl<I: Iterator<Item: IntoIterator<IntoIter: $marker>> + $marker> $marker for iter::Flatten<I> {}
        #[diagnostic::do_not_recommend]
        impl<I: $marker, U: IntoIterator<IntoIter: $marker>, F: $marker> $marker for iter::FlatMap<I, U, F> {}
    };
}

flattened! { ReadOnly }
flattened! { GraphFree }
