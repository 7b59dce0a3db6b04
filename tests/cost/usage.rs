//! The CPU time of a program and of what it starts.

use std::{io, process::Command, time::Duration};

/// Runs `command` and returns the user CPU time of it and its children, which other programs on the machine disturb
/// far less than they disturb a clock.
///
/// # Errors
/// A program that cannot be started or that fails.
pub fn cpu_time(command: &mut Command) -> io::Result<Duration> {
    let before = of_children()?;
    let status = command.status()?;
    if !status.success() {
        return Err(io::Error::other(format!("{command:?}: {status}")));
    }
    Ok(of_children()? - before)
}

fn of_children() -> io::Result<Duration> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: `usage` is a writable `rusage`.
    if unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: getrusage returned 0, so that it filled `usage`.
    let time = unsafe { usage.assume_init() }.ru_utime;
    Ok(Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000))
}
