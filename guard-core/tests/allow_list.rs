//! What may be kept and what may be read, type by type: each container is judged by what it holds.

use guard_core::{Detached, GraphFree, Param, ReadOnly, Vouched};
use std::{
    array, borrow::Cow, cell, cmp, collections, convert, env, error, ffi, fmt, fs, hash, io, iter, marker,
    mem, net, num, ops, option, panic, path, pin, process, rc, result, slice, str, string, sync, sync::mpsc,
    task, thread, time, vec,
};
use tch::{Tensor, nn, vision};

/// Inherent constants win over those of a trait, where their bound holds.
struct Probe<T: ?Sized>(marker::PhantomData<T>);

trait Refused {
    const KEPT: bool = false;
    const READ: bool = false;
}

impl<T: ?Sized> Refused for Probe<T> {}

impl<T: ?Sized + GraphFree> Probe<T> {
    const KEPT: bool = true;
}

impl<T: ?Sized + ReadOnly> Probe<T> {
    const READ: bool = true;
}

macro_rules! may_be_kept {
    ($($ty:ty;)*) => {$(
        assert!(Probe::<$ty>::KEPT && Probe::<$ty>::READ, stringify!($ty));
    )*};
}

macro_rules! may_be_read {
    ($($ty:ty;)*) => {$(
        assert!(!Probe::<$ty>::KEPT && Probe::<$ty>::READ, stringify!($ty));
    )*};
}

macro_rules! may_not_be_read {
    ($($ty:ty;)*) => {$(
        assert!(!Probe::<$ty>::KEPT && !Probe::<$ty>::READ, stringify!($ty));
    )*};
}

/// Of numbers it may be kept; of tensors it may be read, and no more.
macro_rules! holders {
    ($(<$param:ident> $ty:ty;)*) => {$({
        type Of<$param> = $ty;
        may_be_kept! { Of<f64>; }
        may_be_read! { Of<Tensor>; }
    })*};
}

/// Of numbers it may be kept; of tensors it may not even be read: they could be put in through `&`.
macro_rules! cells {
    ($(<$param:ident> $ty:ty;)*) => {$({
        type Of<$param> = $ty;
        may_be_kept! { Of<f64>; }
        may_not_be_read! { Of<Tensor>; }
    })*};
}

#[test]
fn plain_values_may_be_kept() {
    may_be_kept! {
        u8; u16; u32; u64; u128; usize; i8; i16; i32; i64; i128; isize; f32; f64; bool; char; str; (); String; &'static str;
        num::NonZero<u32>; num::NonZeroU64; num::Wrapping<i32>; num::FpCategory; cmp::Ordering; cmp::Reverse<i64>;
        time::Duration; time::Instant; time::SystemTime; ops::RangeFull; convert::Infallible; std::any::TypeId;
        marker::PhantomData<Tensor>; marker::PhantomPinned; std::alloc::Layout; hash::RandomState; hash::DefaultHasher;
        ffi::OsString; ffi::OsStr; ffi::CString; ffi::CStr; path::PathBuf; path::Path; path::Components<'static>;
        sync::atomic::AtomicBool; sync::atomic::AtomicU64; sync::atomic::AtomicUsize; sync::atomic::AtomicI32;
        sync::Barrier; sync::Condvar; sync::Once; thread::Thread; thread::ThreadId; thread::Scope<'static, 'static>;
        str::Chars<'static>; str::Lines<'static>; str::SplitWhitespace<'static>; fmt::Arguments<'static>;
        fn(&Tensor) -> Tensor; fn(Tensor) -> f64; fn(&mut Tensor, &Tensor); fn();
    }
}

#[test]
fn handles_and_errors_may_be_kept() {
    may_be_kept! {
        fs::File; fs::OpenOptions; fs::ReadDir; fs::Metadata; io::Stdin; io::Stdout; io::StderrLock<'static>;
        io::BufReader<fs::File>; io::BufWriter<fs::File>; io::LineWriter<io::Stdout>; io::Lines<io::BufReader<fs::File>>;
        io::Cursor<Vec<u8>>; io::Chain<fs::File, io::Empty>; net::TcpStream; net::UdpSocket; net::Ipv4Addr; net::SocketAddr;
        process::Child; process::Command; process::Stdio; process::ExitStatus; process::Output; env::Args; env::Vars;
        io::Error; io::ErrorKind; fmt::Error; num::ParseIntError; num::ParseFloatError; str::Utf8Error;
        string::FromUtf8Error; cell::BorrowMutError; mpsc::RecvTimeoutError; env::VarError; std::backtrace::Backtrace;
        Box<dyn error::Error>; Box<dyn error::Error + Send + Sync>; &'static dyn error::Error;
        Box<dyn io::Write + Send>; Box<dyn io::BufRead>; Box<dyn fmt::Display>; Result<f64, Box<dyn error::Error + Send>>;
    }
}

/// An object lent for less than `'static`, as in `out: &mut dyn Write`.
fn lent<'a>(_: &mut (dyn io::Write + 'a)) -> bool {
    Probe::<&'a mut (dyn io::Write + 'a)>::KEPT
}

#[test]
fn lent_objects_may_be_kept() {
    assert!(lent(&mut Vec::new()));
}

#[test]
fn the_types_of_tch_may_be_kept() {
    may_be_kept! {
        tch::Device; tch::Cuda; tch::Kind; tch::Layout; tch::Scalar; tch::Reduction; tch::TchError; tch::NoGradGuard;
        tch::QEngine; tch::NewAxis; tch::CModule; tch::TrainableCModule; tch::COptimizer; tch::display::PrinterOptions;
        nn::VarStore; nn::Variables; nn::Path<'static>; nn::Optimizer; nn::Init;
        nn::init::FanInOut; nn::init::NormalOrUniform; nn::init::NonLinearity;
        nn::Adam; nn::AdamW; nn::Sgd; nn::RmsProp;
        nn::Linear; nn::LinearConfig; nn::Conv1D; nn::Conv2D; nn::Conv3D; nn::ConvConfig; nn::PaddingMode;
        nn::ConvTranspose1D; nn::ConvTranspose2D; nn::ConvTranspose3D; nn::ConvTransposeConfig;
        nn::BatchNorm; nn::BatchNormConfig; nn::GroupNorm; nn::GroupNormConfig; nn::LayerNorm; nn::LayerNormConfig;
        nn::Embedding; nn::EmbeddingConfig; nn::LSTM; nn::GRU; nn::RNNConfig; nn::Id;
        nn::Sequential; nn::SequentialT; nn::Func<'static>; nn::FuncT<'static>;
        Box<dyn nn::Module>; Box<dyn nn::ModuleT + Send + Sync>; Vec<nn::Sequential>; &'static dyn nn::ModuleT;
        tch::data::Iter2; tch::data::TextData; tch::data::TextDataIter; vision::dataset::Dataset;
        vision::dinov2::DinoVisionTransformer; vision::efficientnet::MBConvConfig;
        Detached<Tensor>; Detached<Vec<Tensor>>; Detached<nn::LSTMState>; Detached<nn::GRUState>; Param;
        Vouched<Vec<Tensor>>; Vec<Param>; cell::RefCell<collections::VecDeque<Detached<(Tensor, Tensor)>>>;
    }
}

#[test]
fn what_bears_a_graph_may_be_read_and_not_kept() {
    may_be_read! {
        Tensor; nn::LSTMState; nn::GRUState; tch::IValue; tch::TensorIndexer; &'static Tensor;
        collections::HashMap<String, Vec<Tensor>>; (usize, Option<Tensor>); Box<[Tensor]>;
        Box<dyn Fn() -> Tensor>;
    }
    may_not_be_read! {
        &'static mut Tensor; *const Tensor; Box<dyn FnMut() -> Tensor>; Box<dyn std::any::Any>; Box<dyn Iterator<Item = f64>>;
    }
}

#[test]
fn containers_are_as_good_as_what_they_hold() {
    holders! {
        <T> Vec<T>; <T> [T; 3]; <T> Box<[T]>; <T> Box<T>; <T> Option<T>; <T> Result<T, io::Error>; <T> Result<u8, T>;
        <T> (T,); <T> (u8, T); <T> (u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, T);
        <T> collections::VecDeque<T>; <T> collections::LinkedList<T>; <T> collections::BinaryHeap<T>;
        <T> collections::BTreeSet<T>; <T> collections::HashSet<T>; <T> collections::HashMap<u8, T>;
        <T> collections::HashMap<T, u8>; <T> collections::BTreeMap<u8, T>; <T> collections::BTreeMap<T, u8>;
        <T> &'static T; <T> rc::Rc<T>; <T> rc::Weak<T>; <T> sync::Arc<T>; <T> sync::Weak<T>; <T> pin::Pin<Box<T>>;
        <T> mem::ManuallyDrop<T>; <T> mem::MaybeUninit<T>; <T> panic::AssertUnwindSafe<T>; <T> task::Poll<T>;
        <T> cell::Ref<'static, T>; <T> sync::RwLockReadGuard<'static, T>; <T> Cow<'static, rc::Rc<T>>;
        <T> ops::Range<T>; <T> ops::RangeInclusive<T>; <T> ops::RangeFrom<T>; <T> ops::Bound<T>;
        <T> ops::ControlFlow<T, u8>; <T> ops::ControlFlow<u8, T>; <T> num::Wrapping<T>; <T> num::Saturating<T>;
        <T> cmp::Reverse<T>; <T> mpsc::SendError<T>; <T> mpsc::TrySendError<T>; <T> io::Cursor<T>; <T> io::Take<T>;
    }
}

#[test]
fn iterators_are_as_good_as_what_they_walk_over() {
    holders! {
        <T> vec::IntoIter<T>; <T> array::IntoIter<T, 2>; <T> option::IntoIter<T>; <T> result::IntoIter<T>;
        <T> slice::Iter<'static, T>; <T> slice::Chunks<'static, T>; <T> slice::ChunksExact<'static, T>;
        <T> slice::Windows<'static, T>; <T> collections::vec_deque::Iter<'static, T>;
        <T> collections::hash_map::Values<'static, u8, T>; <T> collections::btree_map::IntoIter<u8, T>;
        <T> iter::Enumerate<vec::IntoIter<T>>; <T> iter::Zip<slice::Iter<'static, T>, ops::Range<u8>>;
        <T> iter::Zip<ops::Range<u8>, vec::IntoIter<T>>; <T> iter::Cycle<slice::Iter<'static, T>>;
        <T> iter::Rev<vec::IntoIter<T>>; <T> iter::Chain<iter::Empty<T>, iter::Once<T>>; <T> iter::Repeat<T>;
        <T> iter::Map<vec::IntoIter<T>, fn(T) -> u8>; <T> iter::Filter<vec::IntoIter<T>, fn(&T) -> bool>;
        <T> iter::FlatMap<vec::IntoIter<u8>, Vec<T>, fn(u8) -> Vec<T>>;
    }
    cells! {
        <T> iter::Peekable<vec::IntoIter<T>>; <T> vec::Drain<'static, T>; <T> slice::IterMut<'static, T>;
        <T> slice::ChunksMut<'static, T>; <T> collections::hash_map::IterMut<'static, u8, T>;
        <T> iter::Successors<T, fn(&T) -> Option<T>>; <T> iter::Scan<ops::Range<u8>, T, fn(&mut T, u8) -> Option<u8>>;
    }
}

#[test]
fn what_fills_through_a_shared_reference_holds_no_tensor() {
    cells! {
        <T> cell::Cell<T>; <T> cell::RefCell<T>; <T> cell::UnsafeCell<T>; <T> cell::OnceCell<T>; <T> cell::LazyCell<T>;
        <T> cell::RefMut<'static, T>; <T> &'static mut T; <T> sync::Mutex<T>; <T> sync::RwLock<T>; <T> sync::OnceLock<T>;
        <T> sync::LazyLock<T>; <T> sync::MutexGuard<'static, T>; <T> sync::RwLockWriteGuard<'static, T>;
        <T> sync::PoisonError<T>; <T> sync::TryLockError<T>; <T> mpsc::Sender<T>; <T> mpsc::SyncSender<T>;
        <T> mpsc::Receiver<T>; <T> mpsc::IntoIter<T>; <T> thread::JoinHandle<T>; <T> thread::ScopedJoinHandle<'static, T>;
        <T> thread::LocalKey<T>; <T> rc::Rc<cell::RefCell<T>>; <T> Vec<sync::Mutex<Option<T>>>;
    }
}

#[cfg(feature = "indexmap")]
#[test]
fn ordered_maps_are_as_good_as_what_they_hold() {
    holders! { <T> indexmap::IndexMap<u8, T>; <T> indexmap::IndexMap<T, u8>; <T> indexmap::IndexSet<T>; }
}

#[cfg(feature = "parking_lot")]
#[test]
fn locks_hold_no_tensor() {
    cells! {
        <T> parking_lot::Mutex<T>; <T> parking_lot::RwLock<T>; <T> parking_lot::ReentrantMutex<T>;
        <T> parking_lot::MutexGuard<'static, T>;
    }
}

#[cfg(feature = "crossbeam-channel")]
#[test]
fn channels_hold_no_tensor() {
    cells! { <T> crossbeam_channel::Sender<T>; <T> crossbeam_channel::Receiver<T>; }
}
