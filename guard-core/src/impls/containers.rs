//! Collections, pointers, cells, locks, channels and iterators: conditional on what they hold.

use std::{
    borrow::Cow, cell, cmp, collections, io, iter, mem, num, ops, option, rc, slice, sync, sync::mpsc, task,
    thread, vec,
};

use super::{cell, holder};
use crate::{GraphFree, ReadOnly};

/// [`holder!`] for types whose parameters are sized.
macro_rules! sized_holder {
    ($([$($life:lifetime,)* $($param:ident),* $(; $($rest:tt)*)?] $ty:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($life,)* $($param: ReadOnly,)* $($($rest)*)?> ReadOnly for $ty {}
        #[diagnostic::do_not_recommend]
        impl<$($life,)* $($param: GraphFree,)* $($($rest)*)?> GraphFree for $ty {}
    )*};
}

/// [`cell!`] for types whose parameters are sized.
macro_rules! sized_cell {
    ($([$($life:lifetime,)* $($param:ident),* $(; $($rest:tt)*)?] $ty:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($life,)* $($param: GraphFree,)* $($($rest)*)?> ReadOnly for $ty {}
        #[diagnostic::do_not_recommend]
        impl<$($life,)* $($param: GraphFree,)* $($($rest)*)?> GraphFree for $ty {}
    )*};
}

holder! {
    [T] rc::Rc<T>; [T] rc::Weak<T>; [T] sync::Arc<T>; [T] sync::Weak<T>;
    [T] mem::ManuallyDrop<T>; ['a, T] cell::Ref<'a, T>;
    ['a, T] sync::RwLockReadGuard<'a, T>;
}

sized_holder! {
    [T] [T]; [T; const N: usize] [T; N];
    [T] Vec<T>; [T] collections::VecDeque<T>; [T] collections::LinkedList<T>; [T] collections::BinaryHeap<T>;
    [T] collections::BTreeSet<T>; [K, V] collections::BTreeMap<K, V>;
    [T, S] collections::HashSet<T, S>; [K, V, S] collections::HashMap<K, V, S>;
    [T] Option<T>; [T, E] Result<T, E>; [B, C] ops::ControlFlow<B, C>; [T] task::Poll<T>; [T] ops::Bound<T>;
    [T] ops::Range<T>; [T] ops::RangeInclusive<T>; [T] ops::RangeFrom<T>; [T] ops::RangeTo<T>;
    [T] ops::RangeToInclusive<T>; [T] cmp::Reverse<T>; [T] num::Wrapping<T>; [T] num::Saturating<T>;
    [T] mem::MaybeUninit<T>;
    [T] vec::IntoIter<T>; ['a, T] slice::Iter<'a, T>; ['a, T] slice::Chunks<'a, T>; [T] option::IntoIter<T>;
    [I] iter::Enumerate<I>; [I] iter::Take<I>; [I] iter::Skip<I>; [I] iter::StepBy<I>; [I] iter::Rev<I>;
    [I] iter::Cycle<I>; [I] iter::Cloned<I>; [I] iter::Copied<I>; [I] iter::Fuse<I>; [A, B] iter::Chain<A, B>;
    [A, B] iter::Zip<A, B>;
    [R] io::BufReader<R>; [T] io::Cursor<T>; [R] io::Lines<R>; [R] io::Take<R>;
}

cell! {
    [T] cell::Cell<T>; [T] cell::RefCell<T>; [T] cell::UnsafeCell<T>; ['a, T] cell::RefMut<'a, T>;
    [T] sync::Mutex<T>; [T] sync::RwLock<T>; ['a, T] sync::MutexGuard<'a, T>; ['a, T] sync::RwLockWriteGuard<'a, T>;
}

sized_cell! {
    [T] cell::OnceCell<T>; [T] sync::OnceLock<T>; [T] mpsc::Sender<T>; [T] mpsc::SyncSender<T>;
    [T] mpsc::Receiver<T>; [T] thread::JoinHandle<T>; ['a, T] thread::ScopedJoinHandle<'a, T>;
    [T] mpsc::SendError<T>; [T] sync::PoisonError<T>;
    [; T: GraphFree, F] cell::LazyCell<T, F>; [; T: GraphFree, F] sync::LazyLock<T, F>;
    [; T: GraphFree + 'static] thread::LocalKey<T>;
    ['a, T] slice::IterMut<'a, T>; ['a, T] vec::Drain<'a, T>;
    [; I: Iterator<Item: GraphFree> + GraphFree] iter::Peekable<I>;
    [; W: io::Write + GraphFree] io::BufWriter<W>; [; W: io::Write + GraphFree] io::LineWriter<W>;
}

#[diagnostic::do_not_recommend]
impl<B: ?Sized + ToOwned<Owned: ReadOnly> + ReadOnly> ReadOnly for Cow<'_, B> {}
#[diagnostic::do_not_recommend]
impl<B: ?Sized + ToOwned<Owned: GraphFree> + GraphFree> GraphFree for Cow<'_, B> {}

macro_rules! tuples {
    ($($first:ident $($rest:ident)*)?) => {$(
        sized_holder! { [$first $(, $rest)*] ($first, $($rest,)*); }
        tuples! { $($rest)* }
    )?};
}
tuples! { A B C D E F G H I J K L }
