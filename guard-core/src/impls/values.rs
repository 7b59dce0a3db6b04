//! Plain values of std: numbers, text, time, paths, handles, errors.

use std::{
    alloc, any, convert, env, error, ffi, fmt, fs, hash, io, marker, net, num, ops, path, process, str,
    string, sync, thread, time,
};

use super::leaf;

leaf! {
    u8; u16; u32; u64; u128; usize; i8; i16; i32; i64; i128; isize; f32; f64; bool; char; str; ();
    String; ffi::OsStr; ffi::OsString; ffi::CStr; ffi::CString; path::Path; path::PathBuf;
    time::Duration; time::Instant; time::SystemTime; time::SystemTimeError;
    num::NonZeroU8; num::NonZeroU16; num::NonZeroU32; num::NonZeroU64; num::NonZeroU128; num::NonZeroUsize;
    num::NonZeroI8; num::NonZeroI16; num::NonZeroI32; num::NonZeroI64; num::NonZeroI128; num::NonZeroIsize;
    ops::RangeFull; std::cmp::Ordering; marker::PhantomPinned; any::TypeId; alloc::Layout; convert::Infallible;
    {T: ?Sized} marker::PhantomData<T>;
}

leaf! {
    sync::atomic::AtomicBool; sync::atomic::AtomicU8; sync::atomic::AtomicU16; sync::atomic::AtomicU32;
    sync::atomic::AtomicU64; sync::atomic::AtomicUsize; sync::atomic::AtomicI8; sync::atomic::AtomicI16;
    sync::atomic::AtomicI32; sync::atomic::AtomicI64; sync::atomic::AtomicIsize; sync::atomic::Ordering;
    sync::Condvar; sync::Barrier; sync::Once;
    thread::Thread; thread::ThreadId; thread::Builder; {'a, 'b} thread::Scope<'a, 'b>;
}

leaf! {
    fs::File; fs::OpenOptions; fs::Metadata; fs::FileType; fs::DirEntry; fs::ReadDir; fs::Permissions;
    io::Stdin; io::Stdout; io::Stderr; {'a} io::StdinLock<'a>; {'a} io::StdoutLock<'a>; {'a} io::StderrLock<'a>;
    io::Empty; io::Sink; io::ErrorKind; io::SeekFrom;
    net::IpAddr; net::SocketAddr; net::TcpStream; net::TcpListener; net::UdpSocket;
    process::Command; process::Child; process::ChildStdin; process::ChildStdout; process::ChildStderr;
    process::ExitStatus; process::ExitCode; process::Output; process::Stdio;
    env::Args; env::ArgsOs; env::VarError;
    {'a} str::Chars<'a>; {'a} str::CharIndices<'a>; {'a} str::Bytes<'a>; {'a} str::Lines<'a>;
    {'a} str::SplitWhitespace<'a>;
    hash::RandomState; hash::DefaultHasher; {H} hash::BuildHasherDefault<H>;
    {'a} fmt::Arguments<'a>; {'a} fmt::Formatter<'a>;
}

// Trusted: an error or a stream that hides a tensor would be a strange one.
leaf! {
    io::Error; fmt::Error; num::ParseIntError; num::ParseFloatError; num::TryFromIntError; str::Utf8Error;
    str::ParseBoolError; string::FromUtf8Error; std::char::ParseCharError; thread::AccessError;
    dyn error::Error; dyn error::Error + Send; dyn error::Error + Send + Sync;
    dyn io::Read; dyn io::Read + Send; dyn io::BufRead; dyn io::BufRead + Send;
    dyn io::Write; dyn io::Write + Send; dyn io::Write + Send + Sync;
    dyn fmt::Write; dyn fmt::Write + Send; dyn fmt::Display; dyn fmt::Debug;
}
