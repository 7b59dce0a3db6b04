//! Runs an idiom and asserts that its steps leave nothing behind.
//!
//! The batches of the harness are the clock: each time one is drawn, what is in use is written down. Tensor bytes are
//! exact, so that a step must end with as many as the one before; autograd nodes have no bytes of tensors, so that the
//! heap must not grow either.

use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, PoisonError};

use guard_core::{memory, no_retain};
use tch::nn;

use crate::harness::{Net, adam, net};

/// Steps in which gradients, optimizer state and caches appear.
const WARM_UP: usize = 8;

/// Heap bytes per step that are no finding: a tenth of what one step of the two-layer network leaves as nodes.
const HEAP_NOISE: u64 = 512;

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

thread_local! {
    static READINGS: RefCell<Vec<Reading>> = const { RefCell::new(Vec::new()) };
}

/// What is in use when a batch is drawn.
#[no_retain]
#[derive(Clone, Copy)]
struct Reading {
    tensors: u64,
    heap: Option<u64>,
}

/// Writes down what is in use now.
pub(crate) fn read() {
    let reading = Reading { tensors: memory::live_bytes(), heap: memory::heap_bytes() };
    READINGS.with_borrow_mut(|readings| readings.push(reading));
}

/// Waits for the other tests of this process, which share its counters, and starts counting.
pub fn alone() -> MutexGuard<'static, ()> {
    let held = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    memory::install();
    tch::set_num_threads(1);
    held
}

/// Asserts that every step of `run` ends as the one before.
///
/// # Panics
/// When a step leaves tensor bytes or heap behind.
pub fn run(run: impl FnOnce(&Net, &mut nn::Optimizer)) {
    run_keeping(0, run);
}

/// The same where each step keeps `bytes` of values on purpose.
///
/// # Panics
/// When a step leaves more or less behind.
pub fn run_keeping(bytes: u64, run: impl FnOnce(&Net, &mut nn::Optimizer)) {
    measure(run, |readings| check(readings, 1, bytes, 0));
}

/// The same where `batches` batches make one step.
///
/// # Panics
/// When a step leaves something behind.
pub fn run_in_steps_of(batches: usize, run: impl FnOnce(&Net, &mut nn::Optimizer)) {
    measure(run, |readings| check(readings, batches, 0, 0));
}

/// The same where another thread holds up to `bytes` at a time of its own.
///
/// # Panics
/// When more is in use than that.
pub fn run_beside_a_thread(bytes: u64, run: impl FnOnce(&Net, &mut nn::Optimizer)) {
    measure(run, |readings| check(readings, 1, 0, bytes));
}

/// Hands the readings of `run` to `judge`, which may panic: what a panic allocates must not meet another reading.
fn measure(run: impl FnOnce(&Net, &mut nn::Optimizer), judge: impl FnOnce(&[Reading])) {
    let _alone = alone();
    let net = net();
    let mut optimizer = adam(&net);
    READINGS.take();
    run(&net, &mut optimizer);
    judge(&READINGS.take());
}

fn check(readings: &[Reading], batches: usize, kept: u64, slack: u64) {
    let steady = &readings[WARM_UP..];
    assert!(steady.len() > 3 * batches, "an idiom draws {WARM_UP} batches and more");
    for (now, later) in steady.iter().zip(&steady[batches..]) {
        let (expected, found) = (now.tensors + kept, later.tensors);
        assert!(expected.abs_diff(found) <= slack, "live bytes grow: {} to {found}", now.tensors);
    }
    let first_and_last =
        steady.first().and_then(|r| r.heap).zip(steady[batches..].last().and_then(|r| r.heap));
    if let Some((first, last)) = first_and_last {
        // Values kept on purpose have their objects on the heap: 600 bytes each, twice that with a list around them.
        let per_step = HEAP_NOISE + if kept > 0 { 1_200 } else { 0 };
        let allowed = first + per_step * steady.len() as u64;
        assert!(last <= allowed, "the heap grows: {first} to {last} in {} steps", steady.len());
    }
}
