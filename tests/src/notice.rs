//! What the run-time guard says about a program that the compiler accepted.

use guard_core::{GuardConfig, TrainMemoryGuard, Warning, Watched, no_retain};

/// Checks over which growth must last, the fewest a guard accepts.
const WINDOW: usize = 8;

/// Runs `epoch` again and again under a [`TrainMemoryGuard`] and returns what the guard suspects of growing.
///
/// The caller holds [`alone`](crate::flat::alone) for as long as anything it keeps lives.
#[no_retain(vouch(epoch, reason = "the program under test may keep what it likes"))]
pub fn noticed(mut epoch: impl FnMut(&mut TrainMemoryGuard)) -> Vec<Watched> {
    let mut guard = TrainMemoryGuard::new(GuardConfig { window: WINDOW, ..Default::default() });
    // The first epochs also allocate what is allocated once.
    for _ in 0..WINDOW + 2 {
        epoch(&mut guard);
        guard.check();
    }
    guard.check().warnings.iter().filter_map(suspected).collect()
}

fn suspected(warning: &Warning) -> Option<Watched> {
    match warning {
        Warning::LeakSuspected { what, .. } => Some(*what),
        Warning::OverLimit { .. } => None,
    }
}
