//! Types of crates that nearly every training loop captures, each behind the feature of its name.

#[cfg(feature = "indicatif")]
super::leaf! { indicatif::ProgressBar; indicatif::MultiProgress; indicatif::ProgressStyle; }

#[cfg(feature = "rand_pcg")]
super::leaf! { rand_pcg::Lcg64Xsh32; rand_pcg::Lcg128Xsl64; rand_pcg::Lcg128CmDxsm64; rand_pcg::Mcg128Xsl64; }

#[cfg(feature = "rand")]
super::leaf! { rand::rngs::StdRng; rand::rngs::SmallRng; rand::rngs::ThreadRng; }

#[cfg(feature = "serde_json")]
super::leaf! { serde_json::Value; serde_json::Map<String, serde_json::Value>; serde_json::Number; serde_json::Error; }

#[cfg(feature = "image")]
super::leaf! {
    {P: image::Pixel, C} image::ImageBuffer<P, C>; image::DynamicImage; image::Rgb<u8>; image::ImageError;
}

#[cfg(feature = "crossbeam-channel")]
super::sized_cell! { [T] crossbeam_channel::Sender<T>; [T] crossbeam_channel::Receiver<T>; }

#[cfg(feature = "indexmap")]
super::sized_holder! { [K, V, S] indexmap::IndexMap<K, V, S>; [T, S] indexmap::IndexSet<T, S>; }

#[cfg(feature = "parking_lot")]
super::leaf! { parking_lot::Condvar; parking_lot::Once; }

#[cfg(feature = "parking_lot")]
super::cell! {
    [T] parking_lot::Mutex<T>; [T] parking_lot::RwLock<T>; [T] parking_lot::ReentrantMutex<T>;
    ['a, T] parking_lot::MutexGuard<'a, T>; ['a, T] parking_lot::RwLockWriteGuard<'a, T>;
    ['a, T] parking_lot::RwLockReadGuard<'a, T>; ['a, T] parking_lot::ReentrantMutexGuard<'a, T>;
}
