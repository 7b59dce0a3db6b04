//! Collections, pointers, cells, locks and channels: conditional on what they hold.

use std::{
    borrow::Cow, cell, cmp, collections, io, mem, num, ops, panic, rc, sync, sync::mpsc, task, thread,
};

use super::{cell, holder, sized_cell, sized_holder};
use crate::{GraphFree, ReadOnly};

holder! {
    [T] rc::Rc<T>; [T] rc::Weak<T>; [T] sync::Arc<T>; [T] sync::Weak<T>; [T] mem::ManuallyDrop<T>;
    ['a, T] cell::Ref<'a, T>; ['a, T] sync::RwLockReadGuard<'a, T>;
}

sized_holder! {
    [T] [T]; [T; const N: usize] [T; N];
    [T] Vec<T>; [T] collections::VecDeque<T>; [T] collections::LinkedList<T>; [T] collections::BinaryHeap<T>;
    [T] collections::BTreeSet<T>; [K, V] collections::BTreeMap<K, V>;
    [T, S] collections::HashSet<T, S>; [K, V, S] collections::HashMap<K, V, S>;
    [T] Option<T>; [T, E] Result<T, E>; [B, C] ops::ControlFlow<B, C>; [T] task::Poll<T>; [T] ops::Bound<T>;
    [T] ops::Range<T>; [T] ops::RangeInclusive<T>; [T] ops::RangeFrom<T>; [T] ops::RangeTo<T>;
    [T] ops::RangeToInclusive<T>; [T] cmp::Reverse<T>; [T] num::Wrapping<T>; [T] num::Saturating<T>;
    [T] mem::MaybeUninit<T>; [T] panic::AssertUnwindSafe<T>;
    [R] io::BufReader<R>; [T] io::Cursor<T>; [R] io::Lines<R>; [R] io::Split<R>; [R] io::Bytes<R>;
    [R] io::Take<R>; [A, B] io::Chain<A, B>;
    [T] mpsc::SendError<T>; [T] mpsc::TrySendError<T>;
}

cell! {
    [T] cell::Cell<T>; [T] cell::RefCell<T>; [T] cell::UnsafeCell<T>; ['a, T] cell::RefMut<'a, T>;
    [T] sync::Mutex<T>; [T] sync::RwLock<T>; ['a, T] sync::MutexGuard<'a, T>; ['a, T] sync::RwLockWriteGuard<'a, T>;
}

sized_cell! {
    [T] cell::OnceCell<T>; [T] sync::OnceLock<T>; [T] mpsc::Sender<T>; [T] mpsc::SyncSender<T>;
    [T] mpsc::Receiver<T>; [T] mpsc::IntoIter<T>; ['a, T] mpsc::Iter<'a, T>; ['a, T] mpsc::TryIter<'a, T>;
    [T] thread::JoinHandle<T>; ['a, T] thread::ScopedJoinHandle<'a, T>;
    [T] sync::PoisonError<T>; [T] sync::TryLockError<T>;
    [; T: GraphFree, F] cell::LazyCell<T, F>; [; T: GraphFree, F] sync::LazyLock<T, F>;
    [; T: GraphFree + 'static] thread::LocalKey<T>;
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
