// Exact tensor bytes: a counting allocator for the CPU, the device allocator's own statistics elsewhere.
//
// Every block carries a 64-byte header with its size, so that a free knows what to subtract without a table.
// 64 bytes keep the data on the alignment that libtorch promises to vectorised kernels.

#include <atomic>
#include <cstdint>

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/alloc_cpu.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace {

constexpr size_t kHeader = 64;
static_assert(kHeader % c10::gAlignment == 0, "the header must keep the alignment of the data");

std::atomic<int64_t> live{0};
std::atomic<int64_t> peak{0};
std::atomic<int64_t> allocations{0};
std::atomic<int64_t> blocks{0};
std::atomic<bool> installed{false};

void count(int64_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  blocks.fetch_add(1, std::memory_order_relaxed);
  const int64_t now = live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  int64_t seen = peak.load(std::memory_order_relaxed);
  while (now > seen && !peak.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
  }
}

void release(void* data) {
  if (data == nullptr) {
    return;
  }
  char* block = static_cast<char*>(data) - kHeader;
  blocks.fetch_sub(1, std::memory_order_relaxed);
  live.fetch_sub(static_cast<int64_t>(*reinterpret_cast<size_t*>(block)), std::memory_order_relaxed);
  c10::profiledCPUMemoryReporter().Delete(data);
  c10::free_cpu(block);
}

// The context of a block is its data pointer and `raw_deleter` is set: `raw_allocate` (oneDNN) relies on both.
struct CountingAllocator final : c10::Allocator {
  c10::DataPtr allocate(size_t bytes) override {
    if (bytes == 0) {
      return {nullptr, nullptr, &release, c10::Device(c10::DeviceType::CPU)};
    }
    TORCH_CHECK(bytes <= SIZE_MAX - kHeader, "allocation of ", bytes, " bytes is too large");
    char* block = static_cast<char*>(c10::alloc_cpu(bytes + kHeader));
    *reinterpret_cast<size_t*>(block) = bytes;
    char* data = block + kHeader;
    c10::profiledCPUMemoryReporter().New(data, bytes);
    count(static_cast<int64_t>(bytes));
    return {data, data, &release, c10::Device(c10::DeviceType::CPU)};
  }

  c10::DeleterFnPtr raw_deleter() const override {
    return &release;
  }

  void copy_data(void* dest, const void* src, std::size_t bytes) const override {
    default_copy_data(dest, src, bytes);
  }
};

c10::DeviceAllocator* device_allocator(int type) {
  if (type == static_cast<int>(c10::DeviceType::CPU)) {
    return nullptr;
  }
  // GetAllocator throws when no back end registered one; the callers catch it.
  auto* found = dynamic_cast<c10::DeviceAllocator*>(c10::GetAllocator(static_cast<c10::DeviceType>(type)));
  return found != nullptr && found->initialized() ? found : nullptr;
}

}  // namespace

extern "C" {

void guard_core_install_allocator() {
  if (!installed.exchange(true)) {
    // Never freed: tensors in statics outlive every destructor we could run.
    c10::SetCPUAllocator(new CountingAllocator(), /*priority=*/1);
  }
}

bool guard_core_allocator_installed() {
  return installed.load();
}

int64_t guard_core_live_bytes() {
  return live.load(std::memory_order_relaxed);
}

int64_t guard_core_peak_bytes() {
  return peak.load(std::memory_order_relaxed);
}

int64_t guard_core_allocations() {
  return allocations.load(std::memory_order_relaxed);
}

int64_t guard_core_live_blocks() {
  return blocks.load(std::memory_order_relaxed);
}

void guard_core_reset_peak() {
  peak.store(live.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

// Bytes in use on the C heap, or -1 where the C library does not tell.
int64_t guard_core_heap_in_use() {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 33))
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
#else
  return -1;
#endif
}

// Writes {live, peak, reserved}; false when the device has no initialised allocator that keeps statistics.
bool guard_core_device_bytes(int type, int index, int64_t* out) {
  try {
    auto* allocator = device_allocator(type);
    if (allocator == nullptr) {
      return false;
    }
    const auto stats = allocator->getDeviceStats(static_cast<c10::DeviceIndex>(index));
    const auto all = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);
    out[0] = stats.allocated_bytes[all].current;
    out[1] = stats.allocated_bytes[all].peak;
    out[2] = stats.reserved_bytes[all].current;
    return true;
  } catch (...) {
    return false;
  }
}

bool guard_core_reset_device_peak(int type, int index) {
  try {
    auto* allocator = device_allocator(type);
    if (allocator == nullptr) {
      return false;
    }
    allocator->resetPeakStats(static_cast<c10::DeviceIndex>(index));
    return true;
  } catch (...) {
    return false;
  }
}

}  // extern "C"
