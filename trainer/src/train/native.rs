//! Bindings to `native/`: the operations that tch does not offer.

use std::ffi::{CStr, c_char, c_void};

use guard_core::no_retain;
use tch::Tensor;

use super::TrainError;

type Handle = *const c_void;

unsafe extern "C" {
    fn trainer_free(message: *mut c_char);
    fn trainer_clip_grad_norm(params: *const Handle, n: usize, max_norm: f64, total: *mut f64)
    -> *mut c_char;
    fn trainer_zero_grad(params: *const Handle, n: usize);
    fn trainer_adamw_step(
        params: *const Handle,
        exp_avg: *const Handle,
        exp_avg_sq: *const Handle,
        steps: *const Handle,
        n: usize,
        lr: f64,
        beta1: f64,
        beta2: f64,
        weight_decay: f64,
        eps: f64,
    ) -> *mut c_char;
    fn trainer_ema_update(
        averages: *const Handle,
        values: *const Handle,
        n: usize,
        decay: f64,
    ) -> *mut c_char;
    fn trainer_autocast_enter(cuda: bool, half: bool, before: *mut AutocastState) -> *mut c_char;
    fn trainer_autocast_exit(cuda: bool, before: *const AutocastState) -> *mut c_char;
    fn trainer_unscale_grads(
        params: *const Handle,
        n: usize,
        scale: Handle,
        found_inf: Handle,
    ) -> *mut c_char;
}

/// What autocast was set to before a region, as `TrainerAutocast` on the native side.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
#[no_retain]
pub struct AutocastState {
    enabled: bool,
    cached: bool,
    dtype: i32,
}

/// The numbers of one AdamW update.
#[derive(Debug, Clone, Copy)]
pub struct AdamWStep {
    pub lr: f64,
    pub betas: (f64, f64),
    pub weight_decay: f64,
    pub eps: f64,
}

/// Scales the gradients of `params` to a total norm of at most `max_norm` (0 leaves them) and returns the norm before.
pub fn clip_grad_norm(params: &[Tensor], max_norm: f64) -> Result<f64, TrainError> {
    let (params, mut total) = (handles(params), 0.0);
    // SAFETY: the handles point to live tensors for the whole call; `total` is a valid f64.
    let message = unsafe { trainer_clip_grad_norm(params.as_ptr(), params.len(), max_norm, &mut total) };
    outcome("clip_grad_norm", message).map(|()| total)
}

/// Drops the gradients of `params`.
pub fn zero_grad(params: &[Tensor]) {
    let params = handles(params);
    // SAFETY: the handles point to live tensors for the whole call.
    unsafe { trainer_zero_grad(params.as_ptr(), params.len()) }
}

/// One AdamW update in place; parameters without a gradient are left out. All four lists run in parallel.
pub fn adamw_step(
    params: &[Tensor],
    exp_avg: &[Tensor],
    exp_avg_sq: &[Tensor],
    steps: &[Tensor],
    how: AdamWStep,
) -> Result<(), TrainError> {
    let n = params.len();
    assert!(exp_avg.len() == n && exp_avg_sq.len() == n && steps.len() == n, "one state per parameter");
    let (params, exp_avg, exp_avg_sq, steps) =
        (handles(params), handles(exp_avg), handles(exp_avg_sq), handles(steps));
    // SAFETY: the four lists have `n` handles of live tensors.
    let message = unsafe {
        trainer_adamw_step(
            params.as_ptr(),
            exp_avg.as_ptr(),
            exp_avg_sq.as_ptr(),
            steps.as_ptr(),
            n,
            how.lr,
            how.betas.0,
            how.betas.1,
            how.weight_decay,
            how.eps,
        )
    };
    outcome("adamw_step", message)
}

/// `average = average * decay + value * (1 - decay)` in place, tensor by tensor.
pub fn ema_update(averages: &[Tensor], values: &[Tensor], decay: f64) -> Result<(), TrainError> {
    assert_eq!(averages.len(), values.len(), "one average per value");
    let (averages, values) = (handles(averages), handles(values));
    // SAFETY: both lists have as many handles of live tensors as their length says.
    let message = unsafe { trainer_ema_update(averages.as_ptr(), values.as_ptr(), averages.len(), decay) };
    outcome("ema_update", message)
}

/// Begins a region of autocast on this thread and returns what to restore after it.
pub fn autocast_enter(cuda: bool, half: bool) -> Result<AutocastState, TrainError> {
    let mut before = AutocastState::default();
    // SAFETY: `before` is a valid place for the state.
    let message = unsafe { trainer_autocast_enter(cuda, half, &mut before) };
    outcome("autocast", message).map(|()| before)
}

/// Ends the region that `before` came from.
pub fn autocast_exit(cuda: bool, before: &AutocastState) -> Result<(), TrainError> {
    // SAFETY: `before` is a valid state.
    outcome("autocast", unsafe { trainer_autocast_exit(cuda, before) })
}

/// Divides the gradients of `params` by `scale`; `found_inf` becomes 1 where one of them is not finite, else 0.
pub fn unscale_grads(params: &[Tensor], scale: &Tensor, found_inf: &Tensor) -> Result<(), TrainError> {
    let params = handles(params);
    let (scale, found_inf) = (scale.as_ptr() as Handle, found_inf.as_ptr() as Handle);
    // SAFETY: all handles point to live tensors for the whole call.
    let message = unsafe { trainer_unscale_grads(params.as_ptr(), params.len(), scale, found_inf) };
    outcome("unscale", message)
}

fn handles(tensors: &[Tensor]) -> Vec<Handle> {
    tensors.iter().map(|t| t.as_ptr() as Handle).collect()
}

fn outcome(operation: &'static str, message: *mut c_char) -> Result<(), TrainError> {
    if message.is_null() {
        return Ok(());
    }
    // SAFETY: a non-null message is a C string that the native side allocated for us.
    let text = unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned();
    // SAFETY: it is freed once, after the copy above.
    unsafe { trainer_free(message) };
    Err(TrainError::Native { operation, message: text })
}
