//! Finding CUDA at run time, with the same binary that runs on a machine without it.

use guard_macros::no_retain;
use std::sync::OnceLock;

/// Why no accelerator was loaded: [`load`] leaves the process on the CPU, in working order.
#[no_retain]
#[derive(Clone, Debug, thiserror::Error)]
#[error(
    "CUDA stays off, `{library}` did not load: {reason}; for a GPU install a libtorch built for CUDA together with \
     its nvidia libraries"
)]
pub struct LoadError {
    /// The file that was looked for.
    pub library: &'static str,
    /// What the dynamic loader said.
    pub reason: String,
}

const LIBRARY: &str = "libtorch_cuda.so";

/// Loads libtorch's CUDA back end, so that `tch::Cuda::is_available()` tells the truth; later calls repeat the answer.
///
/// The linker drops a library that no symbol names, and libtorch decides at its first use whether there is CUDA. So this
/// must run **before every other call into torch**, at the top of `main`: a prior `manual_seed` or
/// `Cuda::is_available` settles it for the life of the process. Takes about 0.2 s with CUDA, nothing without.
///
/// ```
/// use guard_core::accelerator;
///
/// // The first line of `main`.
/// if let Err(error) = accelerator::load() {
///     eprintln!("{error}");
/// }
/// let device = tch::Device::cuda_if_available();
/// # let _ = device;
/// ```
///
/// # Errors
/// When this libtorch has no CUDA back end, or the nvidia libraries are missing. On a CPU machine that is the normal case.
pub fn load() -> Result<(), LoadError> {
    static LOADED: OnceLock<Result<(), LoadError>> = OnceLock::new();
    LOADED.get_or_init(open).clone()
}

fn open() -> Result<(), LoadError> {
    use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
    // SAFETY: the initialisers of libtorch_cuda only register the back end with the libtorch already loaded.
    match unsafe { Library::open(Some(LIBRARY), RTLD_NOW | RTLD_GLOBAL) } {
        Ok(library) => {
            // Unloading would leave libtorch with dangling registrations.
            std::mem::forget(library);
            Ok(())
        }
        Err(error) => Err(LoadError { library: LIBRARY, reason: loader_message(&error) }),
    }
}

/// The text of `dlerror`, which names the missing file.
fn loader_message(error: &libloading::Error) -> String {
    match error {
        libloading::Error::DlOpen { source } => source.to_string(),
        other => other.to_string(),
    }
}
