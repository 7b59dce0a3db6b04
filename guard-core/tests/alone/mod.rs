//! The counters belong to the process: one test at a time, on one thread, counted from before its first tensor.

use std::sync::{Mutex, MutexGuard, PoisonError};

static ONE_TEST: Mutex<()> = Mutex::new(());

/// Waits for the other tests of this process and keeps them waiting while the value lives.
pub fn alone() -> MutexGuard<'static, ()> {
    let held = ONE_TEST.lock().unwrap_or_else(PoisonError::into_inner);
    guard_core::memory::install();
    tch::set_num_threads(1);
    held
}
