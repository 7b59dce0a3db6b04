// The fused and multi-tensor operations of an optimisation step that tch does not bind.

#include "handles.h"

#include <cstdlib>

extern "C" {

void trainer_free(char *message) { std::free(message); }

// Scales all gradients so that their total norm is at most `max_norm`; writes the norm before that.
char *trainer_clip_grad_norm(Handles params, size_t count, double max_norm, double *total_norm) {
  return guarded([&] {
    auto grads = gradients(params, count);
    *total_norm = 0;
    if (grads.empty()) return;
    auto norm = at::linalg_vector_norm(at::stack(at::_foreach_norm(grads, 2)), 2);
    *total_norm = norm.item<double>();
    if (max_norm > 0) at::_foreach_mul_(grads, (max_norm / (norm + 1e-6)).clamp_max(1.0));
  });
}

void trainer_zero_grad(Handles params, size_t count) {
  for (size_t i = 0; i < count; ++i) tensor(params[i]).mutable_grad().reset();
}

char *trainer_adamw_step(Handles params, Handles exp_avg, Handles exp_avg_sq, Handles steps, size_t count, double lr,
                         double beta1, double beta2, double weight_decay, double eps) {
  return guarded([&] {
    std::vector<at::Tensor> p, g, m, v, s;
    for (size_t i = 0; i < count; ++i) {
      const at::Tensor &grad = tensor(params[i]).grad();
      if (!grad.defined()) continue;
      p.push_back(tensor(params[i]).detach());
      g.push_back(grad);
      m.push_back(tensor(exp_avg[i]));
      v.push_back(tensor(exp_avg_sq[i]));
      s.push_back(tensor(steps[i]));
    }
    if (p.empty()) return;
    at::_foreach_add_(s, 1);
    at::_fused_adamw_(p, g, m, v, {}, s, lr, beta1, beta2, weight_decay, eps, /*amsgrad=*/false, /*maximize=*/false);
  });
}

// average = average * decay + value * (1 - decay), in the order of the official code.
char *trainer_ema_update(Handles averages, Handles values, size_t count, double decay) {
  return guarded([&] {
    auto average = list(averages, count);
    at::_foreach_mul_(average, decay);
    at::_foreach_add_(average, list(values, count), 1 - decay);
  });
}

} // extern "C"
