//! The counting allocator, to the byte.

mod alone;

use alone::alone;
use guard_core::memory;
use tch::{Device, Kind, Tensor};

const CPU: (Kind, Device) = (Kind::Float, Device::Cpu);

/// Live bytes gained while `f` runs and its result lives.
fn gained<T>(f: impl FnOnce() -> T) -> (i64, T) {
    let before = memory::live_bytes() as i64;
    let value = f();
    (memory::live_bytes() as i64 - before, value)
}

#[test]
fn a_tensor_costs_its_elements_and_its_drop_gives_them_back() {
    let _alone = alone();
    let start = memory::live_bytes();
    for (kind, width) in [(Kind::Float, 4), (Kind::Half, 2), (Kind::Int64, 8), (Kind::Bool, 1)] {
        let (bytes, tensor) = gained(|| Tensor::zeros([7, 13], (kind, Device::Cpu)));
        assert_eq!(bytes, 7 * 13 * width, "{kind:?}");
        drop(tensor);
        assert_eq!(memory::live_bytes(), start);
    }
}

#[test]
fn an_empty_tensor_costs_nothing() {
    let _alone = alone();
    let (bytes, tensor) = gained(|| Tensor::zeros([0, 4], CPU));
    assert_eq!((bytes, tensor.numel()), (0, 0));
}

#[test]
fn views_cost_nothing_and_keep_the_whole() {
    let _alone = alone();
    let (bytes, view) = gained(|| Tensor::zeros([64, 100], CPU).get(0));
    assert_eq!(bytes, 64 * 100 * 4);
    let before = memory::live_storages();
    let more = (view.get(0), Tensor::zeros([1], CPU));
    assert_eq!(memory::live_storages() - before, 1);
    drop(more);
    assert_eq!(memory::live_storages(), before);
    assert_eq!(memory::storage_bytes(&view), Some(64 * 100 * 4));
}

#[test]
fn data_is_aligned_for_vector_instructions() {
    let _alone = alone();
    for elements in [1, 3, 1000, 1 << 20] {
        assert_eq!(Tensor::zeros([elements], CPU).data_ptr().addr() % 64, 0);
    }
}

#[test]
fn a_resized_storage_stays_counted() {
    let _alone = alone();
    let start = memory::live_bytes();
    let mut tensor = Tensor::zeros([4], CPU);
    let _ = tensor.resize_([1000]);
    assert_eq!(memory::live_bytes() - start, 4000);
    drop(tensor);
    assert_eq!(memory::live_bytes(), start);
}

#[test]
fn the_peak_remembers_and_forgets_on_request() {
    let _alone = alone();
    memory::reset_peak();
    let start = memory::live_bytes();
    assert_eq!(memory::peak_bytes(), start);
    drop(Tensor::zeros([1000], CPU));
    assert_eq!(memory::peak_bytes() - start, 4000);
    memory::reset_peak();
    assert_eq!(memory::peak_bytes(), start);
}

#[test]
fn every_thread_is_counted() {
    let _alone = alone();
    let start = memory::live_bytes();
    let before = memory::allocations();
    let make = || (0..50).map(|_| Tensor::zeros([256], CPU)).collect::<Vec<_>>();
    let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(make)).collect();
    let tensors: Vec<_> = threads.into_iter().map(|thread| thread.join().expect("no panic")).collect();
    assert_eq!(memory::live_bytes() - start, 4 * 50 * 1024);
    assert_eq!(memory::allocations() - before, 4 * 50);
    drop(tensors);
    assert_eq!(memory::live_bytes(), start);
}

#[test]
fn installing_twice_changes_nothing() {
    let _alone = alone();
    let (_, tensor) = gained(|| Tensor::zeros([10], CPU));
    let before = memory::live_bytes();
    memory::install();
    assert!(memory::installed());
    assert_eq!(memory::live_bytes(), before);
    drop(tensor);
    assert_eq!(before - memory::live_bytes(), 40);
}

#[test]
fn training_is_flat_to_the_byte() {
    let _alone = alone();
    let mut vs = tch::nn::VarStore::new(Device::Cpu);
    let layer = tch::nn::conv2d(vs.root() / "conv", 3, 8, 3, Default::default());
    vs.unfreeze();
    let mut optimizer = tch::nn::OptimizerConfig::build(tch::nn::AdamW::default(), &vs, 1e-3).expect("built");
    let image = Tensor::rand([2, 3, 16, 16], CPU);
    let mut step = || {
        let loss = image.apply(&layer).relu().mean(Kind::Float);
        optimizer.backward_step(&loss);
    };
    (0..2).for_each(|_| step());
    let (bytes, ()) = gained(|| (0..50).for_each(|_| step()));
    assert_eq!(bytes, 0);
}

#[test]
fn the_heap_sees_what_tensors_do_not() {
    let _alone = alone();
    let before = memory::heap_bytes();
    assert_eq!(before.is_some(), cfg!(target_env = "gnu"));
    let Some(before) = before else { return };
    let block = vec![1u8; 3_000_000];
    let between = memory::heap_bytes().expect("known before");
    // Not to the byte: the test harness has threads of its own.
    assert!((2_900_000..3_100_000).contains(&(between - before)), "{}", between - before);
    drop(block);
    let tensor = Tensor::zeros([1_000_000], CPU);
    let after = memory::heap_bytes().expect("known before");
    assert!(
        after.abs_diff(before) < 100_000,
        "a tensor's own bytes are not heap: {}",
        after.abs_diff(before)
    );
    drop(tensor);
}

#[test]
fn the_process_is_larger_than_its_tensors() {
    let _alone = alone();
    let tensor = Tensor::ones([10_000_000], CPU);
    let resident = memory::resident_bytes();
    assert!(resident.is_none_or(|bytes| bytes > 40_000_000), "{resident:?}");
    assert_eq!(resident.is_some(), cfg!(target_os = "linux"));
    drop(tensor);
}

#[test]
fn the_cpu_is_no_accelerator() {
    let _alone = alone();
    assert_eq!(memory::device_bytes(Device::Cpu), None);
    assert!(!memory::reset_device_peak(Device::Cpu));
    // Known to libtorch, but without an allocator here.
    assert_eq!(memory::device_bytes(Device::Vulkan), None);
    assert!(!memory::reset_device_peak(Device::Vulkan));
}
