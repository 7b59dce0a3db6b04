//! Stands for a crate that does not know the policy.

use std::sync::Mutex;

use tch::Tensor;

static SEEN: Mutex<Vec<Tensor>> = Mutex::new(Vec::new());

/// Keeps `tensor`, and returns how many nodes its graph has.
///
/// # Panics
/// When another thread panicked in here.
pub fn remember(tensor: Tensor) -> usize {
    let mut seen = SEEN.lock().expect("no one panics while this lock is held");
    seen.push(tensor);
    seen.last().map_or(0, guard_core::graph_nodes)
}

/// Never drops `value`.
pub fn forget<T>(value: T) {
    std::mem::forget(value);
}
