//! The C ABI of `native/`. An `at::Tensor*` is what tch's `Tensor::as_ptr` returns.

use std::ffi::{c_int, c_void};
use tch::Tensor;

unsafe extern "C" {
    pub(crate) safe fn guard_core_install_allocator();
    pub(crate) safe fn guard_core_allocator_installed() -> bool;
    pub(crate) safe fn guard_core_live_bytes() -> i64;
    pub(crate) safe fn guard_core_peak_bytes() -> i64;
    pub(crate) safe fn guard_core_allocations() -> i64;
    pub(crate) safe fn guard_core_live_blocks() -> i64;
    pub(crate) safe fn guard_core_reset_peak();
    pub(crate) safe fn guard_core_heap_in_use() -> i64;
    fn guard_core_device_bytes(kind: c_int, index: c_int, out: *mut i64) -> bool;
    pub(crate) safe fn guard_core_reset_device_peak(kind: c_int, index: c_int) -> bool;
    fn guard_core_graph_nodes(tensor: *const c_void) -> i64;
    fn guard_core_storage_bytes(tensor: *const c_void) -> i64;
    fn guard_core_storage_id(tensor: *const c_void) -> *const c_void;
    fn guard_core_is_compact(tensor: *const c_void) -> bool;
    fn guard_core_is_sole_owner(tensor: *const c_void) -> bool;
}

fn pointer(tensor: &Tensor) -> *const c_void {
    tensor.as_ptr().cast()
}

/// `[live, peak, reserved]` of an accelerator.
pub(crate) fn device_bytes(kind: c_int, index: c_int) -> Option<[i64; 3]> {
    let mut out = [0; 3];
    // SAFETY: the callee writes exactly three values to `out`, and only when it returns true.
    let known = unsafe { guard_core_device_bytes(kind, index, out.as_mut_ptr()) };
    known.then_some(out)
}

/// Autograd nodes reachable from `tensor`, -1 when libtorch refuses to tell.
pub(crate) fn graph_nodes(tensor: &Tensor) -> i64 {
    // SAFETY: the pointer is a live `at::Tensor*` for the length of the borrow; the callee keeps nothing.
    unsafe { guard_core_graph_nodes(pointer(tensor)) }
}

/// Bytes of the storage behind `tensor`, -1 without storage.
pub(crate) fn storage_bytes(tensor: &Tensor) -> i64 {
    // SAFETY: as in `graph_nodes`.
    unsafe { guard_core_storage_bytes(pointer(tensor)) }
}

/// An identity of the storage behind `tensor`, 0 without storage. Only for comparison while both tensors live.
pub(crate) fn storage_id(tensor: &Tensor) -> usize {
    // SAFETY: as in `graph_nodes`.
    unsafe { guard_core_storage_id(pointer(tensor)) }.addr()
}

/// Whether the storage holds the elements of `tensor` and not a byte more.
pub(crate) fn is_compact(tensor: &Tensor) -> bool {
    // SAFETY: as in `graph_nodes`.
    unsafe { guard_core_is_compact(pointer(tensor)) }
}

/// Whether no other handle, view or saved value shares the memory of `tensor`.
pub(crate) fn is_sole_owner(tensor: &Tensor) -> bool {
    // SAFETY: as in `graph_nodes`.
    unsafe { guard_core_is_sole_owner(pointer(tensor)) }
}
