// What a tensor keeps alive: its storage and the autograd nodes behind it.

#include <cstdint>
#include <unordered_set>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/function.h>

namespace {

using torch::autograd::Node;

// A chain built over an epoch is deep enough to overflow the stack: no recursion.
int64_t reachable_nodes(std::vector<Node*> open) {
  std::unordered_set<Node*> seen(open.begin(), open.end());
  while (!open.empty()) {
    Node* node = open.back();
    open.pop_back();
    for (const auto& edge : node->next_edges()) {
      Node* next = edge.function.get();
      if (next != nullptr && seen.insert(next).second) {
        open.push_back(next);
      }
    }
  }
  return static_cast<int64_t>(seen.size());
}

// A view made under no_grad has no grad_fn of its own, yet it holds its base and so the graph of the base.
std::vector<Node*> roots(const at::Tensor& tensor) {
  std::vector<Node*> found;
  if (const auto& node = tensor.grad_fn()) {
    found.push_back(node.get());
  }
  if (tensor.is_view()) {
    if (const auto& node = tensor._base().grad_fn()) {
      found.push_back(node.get());
    }
  }
  return found;
}

bool has_storage(const at::Tensor& tensor) {
  return tensor.defined() && tensor.has_storage();
}

}  // namespace

extern "C" {

// Nodes that the tensor keeps alive, 0 without a graph, -1 when libtorch refuses to tell.
int64_t guard_core_graph_nodes(const at::Tensor* tensor) {
  try {
    return tensor->defined() ? reachable_nodes(roots(*tensor)) : 0;
  } catch (...) {
    return -1;
  }
}

// Bytes of the whole storage behind a tensor or view, -1 when there is none (sparse, undefined).
int64_t guard_core_storage_bytes(const at::Tensor* tensor) {
  try {
    return has_storage(*tensor) ? static_cast<int64_t>(tensor->storage().nbytes()) : -1;
  } catch (...) {
    return -1;
  }
}

// Equal for two tensors exactly when they share memory; null without storage.
const void* guard_core_storage_id(const at::Tensor* tensor) {
  try {
    return has_storage(*tensor) ? tensor->storage().unsafeGetStorageImpl() : nullptr;
  } catch (...) {
    return nullptr;
  }
}

// True when the storage holds the tensor's elements and not a byte more.
bool guard_core_is_compact(const at::Tensor* tensor) {
  try {
    return has_storage(*tensor) && tensor->storage().nbytes() == tensor->nbytes();
  } catch (...) {
    return false;
  }
}

// True when no other handle, view or saved value shares the tensor's memory.
bool guard_core_is_sole_owner(const at::Tensor* tensor) {
  try {
    return has_storage(*tensor) && tensor->use_count() == 1 && tensor->storage().use_count() == 1;
  } catch (...) {
    return false;
  }
}

}  // extern "C"
