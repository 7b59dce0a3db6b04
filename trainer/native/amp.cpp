// Mixed precision: autocast with a choice of type, and the gradient scaler's operations on whole lists.

#include <ATen/autocast_mode.h>

#include "handles.h"

namespace {

at::DeviceType device_type(bool cuda) { return cuda ? at::kCUDA : at::kCPU; }

} // namespace

extern "C" {

// What was set before a region of autocast, of one device type on this thread.
struct TrainerAutocast {
  bool enabled;
  bool cached;
  int32_t dtype;
};

// Begins a region. The cache of converted weights stays off: it would keep a copy of every weight until the region ends,
// for the few that are read more than once.
char *trainer_autocast_enter(bool cuda, bool half, TrainerAutocast *before) {
  return guarded([&] {
    auto type = device_type(cuda);
    *before = {at::autocast::is_autocast_enabled(type), at::autocast::is_autocast_cache_enabled(),
               static_cast<int32_t>(at::autocast::get_autocast_dtype(type))};
    at::autocast::set_autocast_dtype(type, half ? at::kHalf : at::kBFloat16);
    at::autocast::set_autocast_enabled(type, true);
    at::autocast::set_autocast_cache_enabled(false);
    at::autocast::increment_nesting();
  });
}

char *trainer_autocast_exit(bool cuda, const TrainerAutocast *before) {
  return guarded([&] {
    auto type = device_type(cuda);
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_cache_enabled(before->cached);
    at::autocast::set_autocast_enabled(type, before->enabled);
    at::autocast::set_autocast_dtype(type, static_cast<at::ScalarType>(before->dtype));
  });
}

// Divides all gradients by `scale`; `found_inf` becomes 1 when one of them is not finite, else 0.
char *trainer_unscale_grads(Handles params, size_t count, void *scale, void *found_inf) {
  return guarded([&] {
    auto grads = gradients(params, count);
    tensor(found_inf).zero_();
    if (grads.empty()) return;
    // In double precision, so that the inverse is rounded once.
    auto inverse = tensor(scale).to(at::kDouble).reciprocal().to(at::kFloat);
    at::_amp_foreach_non_finite_check_and_unscale_(grads, tensor(found_inf), inverse);
  });
}

} // extern "C"
