// How tensors and errors cross the boundary to Rust.
//
// A tensor crosses as torch-sys passes it: a pointer to at::Tensor.
// A function that can fail returns null, or a message that the caller frees with `trainer_free`.

#pragma once

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cstring>
#include <exception>
#include <vector>

using Handles = void *const *;

inline at::Tensor &tensor(void *handle) { return *static_cast<at::Tensor *>(handle); }

inline std::vector<at::Tensor> list(Handles handles, size_t count) {
  std::vector<at::Tensor> tensors;
  tensors.reserve(count);
  for (size_t i = 0; i < count; ++i) tensors.push_back(tensor(handles[i]));
  return tensors;
}

// Parameters that took no part in the loss have no gradient; PyTorch leaves them out as well.
inline std::vector<at::Tensor> gradients(Handles params, size_t count) {
  std::vector<at::Tensor> found;
  for (size_t i = 0; i < count; ++i) {
    const at::Tensor &grad = tensor(params[i]).grad();
    if (grad.defined()) found.push_back(grad);
  }
  return found;
}

template <class Body> char *guarded(Body body) {
  try {
    c10::NoGradGuard no_grad;
    body();
    return nullptr;
  } catch (const std::exception &error) {
    return strdup(error.what());
  } catch (...) {
    return strdup("unknown C++ exception");
  }
}
