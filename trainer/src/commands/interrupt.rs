//! Ctrl-C: the first asks the run to stop after the step, the second ends the process.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// The exit code of a process that a signal ended, as shells count it.
pub const EXIT_INTERRUPTED: u8 = 130;

/// A flag that rises at the first Ctrl-C (or SIGTERM).
pub fn stop_flag() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if raised.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(EXIT_INTERRUPTED));
        }
        eprintln!("\nstopping after this step; the run can go on with --resume (Ctrl-C again: stop at once)");
    })?;
    Ok(stop)
}
