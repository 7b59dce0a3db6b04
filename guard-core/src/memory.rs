//! Bytes, counted rather than estimated: tensors, the C heap, the process, an accelerator.
//!
//! On the CPU a counting allocator stands in front of libtorch's own. It sees every tensor that libtorch
//! allocates (activations, saved tensors, gradients, optimizer state) on every thread, at no more than 45 ns
//! each. It does not see scratch memory of MKL and oneDNN, nor memory lent with `Tensor::from_blob`.

use crate::native;
use guard_macros::no_retain;
use tch::{Device, Tensor};

/// Puts the counting allocator in front of libtorch's CPU allocator; calls after the first do nothing.
///
/// Call it before the first tensor exists: earlier tensors are freed as before and never counted.
///
/// ```
/// guard_core::memory::install();
/// let before = guard_core::memory::live_bytes();
/// let image = tch::Tensor::zeros([3, 640, 640], (tch::Kind::Float, tch::Device::Cpu));
/// assert_eq!(guard_core::memory::live_bytes() - before, 3 * 640 * 640 * 4);
/// # drop(image);
/// ```
pub fn install() {
    native::guard_core_install_allocator();
}

/// Whether [`install`] has run in this process.
pub fn installed() -> bool {
    native::guard_core_allocator_installed()
}

/// Bytes of CPU tensors alive now, of those allocated since [`install`].
pub fn live_bytes() -> u64 {
    unsigned(native::guard_core_live_bytes())
}

/// The highest [`live_bytes`] since the process started or [`reset_peak`] ran.
///
/// ```
/// # use {guard_core::memory, tch::{Device, Kind, Tensor}};
/// memory::install();
/// memory::reset_peak();
/// drop(Tensor::zeros([1000], (Kind::Float, Device::Cpu)));
/// assert!(memory::peak_bytes() >= 4000);
/// ```
pub fn peak_bytes() -> u64 {
    unsigned(native::guard_core_peak_bytes())
}

/// Starts a new peak at the present [`live_bytes`].
pub fn reset_peak() {
    native::guard_core_reset_peak();
}

/// CPU tensor allocations since [`install`], freed ones included.
pub fn allocations() -> u64 {
    unsigned(native::guard_core_allocations())
}

/// CPU tensor storages alive now, of those allocated since [`install`]; views share one.
pub fn live_storages() -> u64 {
    unsigned(native::guard_core_live_blocks())
}

/// Bytes in use on the C heap that are not tensor data: autograd nodes, Rust values, libtorch's own objects.
///
/// This is where kept graphs show when their tensors are already freed: about 1 kB per node. Glibc 2.33 or later,
/// all arenas; `None` elsewhere. The objects around a tensor's data, about 600 bytes for each, are included.
pub fn heap_bytes() -> Option<u64> {
    let in_use = native::guard_core_heap_in_use();
    (in_use >= 0).then(|| unsigned(in_use - native::guard_core_live_bytes()))
}

/// Bytes of the process in physical memory (`VmRSS`), `None` where there is no `/proc`.
pub fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Bytes of the whole storage behind `tensor`, which a view shares and keeps; `None` without storage (sparse).
///
/// ```
/// # use {guard_core::memory, tch::{Device, Kind, Tensor}};
/// let row = Tensor::zeros([64, 100], (Kind::Float, Device::Cpu)).get(0);
/// assert_eq!(memory::storage_bytes(&row), Some(64 * 100 * 4)); // the row keeps all the others
/// assert_eq!(memory::storage_bytes(&row.copy()), Some(100 * 4));
/// ```
pub fn storage_bytes(tensor: &Tensor) -> Option<u64> {
    u64::try_from(native::storage_bytes(tensor)).ok()
}

/// What the caching allocator of an accelerator reports, in bytes.
#[no_retain]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceBytes {
    /// Handed out to tensors now.
    pub live: u64,
    /// The highest `live` since the start or [`reset_device_peak`].
    pub peak: u64,
    /// Taken from the driver, cached blocks included.
    pub reserved: u64,
}

/// The statistics of `device`'s allocator; `None` for the CPU and for a device that has allocated nothing yet.
///
/// ```
/// use guard_core::memory;
/// use tch::Device;
///
/// if let Some(bytes) = memory::device_bytes(Device::cuda_if_available()) {
///     println!("{} bytes live, {} at most", bytes.live, bytes.peak);
/// }
/// assert_eq!(memory::device_bytes(Device::Cpu), None);
/// ```
pub fn device_bytes(device: Device) -> Option<DeviceBytes> {
    let (kind, index) = device_code(device)?;
    let [live, peak, reserved] = native::device_bytes(kind, index)?.map(unsigned);
    Some(DeviceBytes { live, peak, reserved })
}

/// Starts a new peak on `device`; false where [`device_bytes`] is `None`.
pub fn reset_device_peak(device: Device) -> bool {
    device_code(device).is_some_and(|(kind, index)| native::guard_core_reset_device_peak(kind, index))
}

/// `c10::DeviceType` and index.
fn device_code(device: Device) -> Option<(i32, i32)> {
    match device {
        Device::Cpu => None,
        Device::Cuda(index) => Some((1, i32::try_from(index).ok()?)),
        Device::Vulkan => Some((10, 0)),
        Device::Mps => Some((13, 0)),
    }
}

/// Counters are never negative in balance; a free that races a read may show one for an instant.
fn unsigned(bytes: i64) -> u64 {
    u64::try_from(bytes).unwrap_or(0)
}
