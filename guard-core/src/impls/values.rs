//! Plain values of std: numbers, text, time, paths, handles, errors.

use std::{
    alloc, any, array, cell, convert, env, error, ffi, fmt, fs, hash, io, marker, net, num, ops, os, panic,
    path, process, str, string, sync, sync::mpsc, thread, time,
};

use super::leaf;

leaf! {
    u8; u16; u32; u64; u128; usize; i8; i16; i32; i64; i128; isize; f32; f64; bool; char; str; ();
    String; ffi::OsStr; ffi::OsString; ffi::CStr; ffi::CString; path::Path; path::PathBuf;
    time::Duration; time::Instant; time::SystemTime; time::SystemTimeError;
    num::NonZeroU8; num::NonZeroU16; num::NonZeroU32; num::NonZeroU64; num::NonZeroU128; num::NonZeroUsize;
    num::NonZeroI8; num::NonZeroI16; num::NonZeroI32; num::NonZeroI64; num::NonZeroI128; num::NonZeroIsize;
    num::FpCategory; num::IntErrorKind;
    ops::RangeFull; std::cmp::Ordering; marker::PhantomPinned; any::TypeId; alloc::Layout; convert::Infallible;
    {T: ?Sized} marker::PhantomData<T>;
}

leaf! {
    sync::atomic::AtomicBool; sync::atomic::AtomicU8; sync::atomic::AtomicU16; sync::atomic::AtomicU32;
    sync::atomic::AtomicU64; sync::atomic::AtomicUsize; sync::atomic::AtomicI8; sync::atomic::AtomicI16;
    sync::atomic::AtomicI32; sync::atomic::AtomicI64; sync::atomic::AtomicIsize; sync::atomic::Ordering;
    sync::Condvar; sync::WaitTimeoutResult; sync::Barrier; sync::BarrierWaitResult; sync::Once; sync::OnceState;
    thread::Thread; thread::ThreadId; thread::Builder; {'a, 'b} thread::Scope<'a, 'b>;
}

leaf! {
    {'a} path::Components<'a>; {'a} path::Ancestors<'a>; {'a} path::Display<'a>;
    fs::File; fs::OpenOptions; fs::DirBuilder; fs::Metadata; fs::FileType; fs::DirEntry; fs::ReadDir; fs::Permissions;
    io::Stdin; io::Stdout; io::Stderr; {'a} io::StdinLock<'a>; {'a} io::StdoutLock<'a>; {'a} io::StderrLock<'a>;
    io::Empty; io::Sink; io::Repeat; io::ErrorKind; io::SeekFrom;
    net::IpAddr; net::Ipv4Addr; net::Ipv6Addr; net::SocketAddr; net::SocketAddrV4; net::SocketAddrV6; net::TcpStream; net::TcpListener; net::UdpSocket;
    process::Command; process::Child; process::ChildStdin; process::ChildStdout; process::ChildStderr;
    process::ExitStatus; process::ExitCode; process::Output; process::Stdio;
    env::Args; env::ArgsOs; env::Vars; env::VarsOs; env::VarError; std::backtrace::Backtrace;
    {'a} panic::Location<'a>;
    {'a} str::Chars<'a>; {'a} str::CharIndices<'a>; {'a} str::Bytes<'a>; {'a} str::Lines<'a>;
    {'a} str::SplitWhitespace<'a>;
    hash::RandomState; hash::DefaultHasher; {H} hash::BuildHasherDefault<H>;
    {'a} fmt::Arguments<'a>; {'a} fmt::Formatter<'a>;
}

#[cfg(unix)]
leaf! {
    os::unix::net::UnixStream; os::unix::net::UnixListener; os::unix::net::UnixDatagram; os::fd::OwnedFd;
    {'a} os::fd::BorrowedFd<'a>;
}

leaf! {
    io::Error; fmt::Error; num::ParseIntError; num::ParseFloatError; num::TryFromIntError; str::Utf8Error;
    str::ParseBoolError; string::FromUtf8Error; string::FromUtf16Error; std::char::ParseCharError;
    net::AddrParseError; path::StripPrefixError; ffi::NulError; ffi::IntoStringError; ffi::FromBytesWithNulError;
    cell::BorrowError; cell::BorrowMutError; mpsc::RecvError; mpsc::TryRecvError; mpsc::RecvTimeoutError;
    thread::AccessError; time::TryFromFloatSecsError; array::TryFromSliceError;
}

/// Traits of std whose objects are trusted, with every mixture of `Send` and `Sync`: an error or a stream that hides a
/// tensor would be a strange one.
macro_rules! objects {
    ($($name:path;)*) => { leaf! {$(
        {'a} dyn $name + 'a; {'a} dyn $name + Send + 'a; {'a} dyn $name + Sync + 'a; {'a} dyn $name + Send + Sync + 'a;
    )*} };
}

objects! {
    error::Error; io::Read; io::BufRead; io::Write; io::Seek; fmt::Write; fmt::Display; fmt::Debug;
}
